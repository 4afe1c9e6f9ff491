/**
 * The shapes of the supervisor's answers, checked: whatever comes out of a container is untrusted, also where the
 * supervisor wrote it. Fields that nobody here reads are left out.
 */
import { z } from 'zod'
import type {
  Checkpoint,
  CommandState,
  DirList,
  FileStat,
  Hello,
  PatchResult,
  RestoreResult,
  SearchResult,
  TreeDiff,
} from '../../../sandbox/supervisor/protocol.ts'

/** Says that a schema takes nothing that the contract does not have. */
type Part<T> = T extends readonly (infer E)[]
  ? Part<E>[]
  : T extends object
    ? { [K in keyof T]?: Part<T[K]> | undefined }
    : T
const shape =
  <Contract>() =>
  <S extends z.ZodType<Part<Contract>>>(schema: S): S =>
    schema

const Count = z.int().min(0)
const Tree = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
const FileKind = z.enum(['file', 'dir', 'symlink', 'other'])

/** For answers whose body says nothing. */
export const Done = z.object({})

export const HelloAnswer = shape<Hello>()(
  z.object({ protocol: Count, minProtocol: Count, bootId: z.string() }),
)

export const StatAnswer = shape<FileStat>()(
  z.object({ path: z.string(), kind: FileKind, size: Count, mtimeMs: z.number() }),
)

export const ListAnswer = shape<DirList>()(
  z.object({
    path: z.string(),
    entries: z.array(z.object({ name: z.string(), kind: FileKind, size: Count, mtimeMs: z.number() })),
    truncated: z.boolean(),
  }),
)

export const PatchAnswer = shape<PatchResult>()(
  z.object({
    summary: z.string(),
    changed: z.array(
      z.object({
        path: z.string(),
        kind: z.enum(['add', 'update', 'delete', 'move']),
        movedFrom: z.string().optional(),
      }),
    ),
  }),
)

export const SearchAnswer = shape<SearchResult>()(
  z.object({
    matches: z.array(z.object({ path: z.string(), line: Count, text: z.string(), context: z.boolean() })),
    truncated: z.boolean(),
    timedOut: z.boolean(),
  }),
)

/** `end` is checked field by field where it is read, in answers as in frames. */
export const CommandAnswer = z.object({
  commandId: z.string(),
  status: z.enum(['running', 'exited', 'killed', 'lost']),
  bytes: Count,
  end: z.record(z.string(), z.unknown()).nullable(),
}) satisfies z.ZodType<Part<Omit<CommandState, 'end'>>>
export const CommandsAnswer = z.object({ commands: z.array(CommandAnswer) })

export const CheckpointAnswer = shape<Checkpoint>()(
  z.object({
    tree: Tree,
    snapshot: Tree,
    pack: z.object({ id: z.string(), bytes: Count, objects: Count }).nullable(),
    leftOut: z.array(
      z.object({
        path: z.string(),
        reason: z.enum([
          'too_large',
          'ignored_over_limit',
          'total_over_limit',
          'unreadable',
          'not_a_file',
          'changing',
        ]),
        bytes: Count,
      }),
    ),
    leftOutMore: Count,
    durationMs: z.number().min(0),
  }),
)

export const DiffAnswer = shape<TreeDiff>()(
  z.object({
    files: z.array(
      z.object({
        path: z.string(),
        status: z.enum(['added', 'modified', 'deleted', 'renamed', 'type_changed']),
        oldPath: z.string().optional(),
        additions: Count.nullable(),
        deletions: Count.nullable(),
      }),
    ),
  }),
)

export const RestoreAnswer = shape<RestoreResult>()(
  z.object({
    written: Count,
    removed: Count,
    failed: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
)
