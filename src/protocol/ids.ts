/**
 * Ids of everything that crosses the wire or enters the log: a prefix and a UUIDv7, as text, so that they sort by
 * time and say what they name.
 */
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

const idSchema = <P extends string>(prefix: P) =>
  z.string().regex(new RegExp(`^${prefix}_${uuid}$`), `must be an id that begins with ${prefix}_`)

export const UserId = idSchema('usr')
export const ProjectId = idSchema('prj')
export const ThreadId = idSchema('thr')
export const WindowId = idSchema('win')
export const TurnId = idSchema('trn')
export const StepId = idSchema('stp')
export const ItemId = idSchema('itm')
export const OpId = idSchema('op')
export const CommandId = idSchema('cmd')
export const SandboxId = idSchema('sbx')
export const CheckpointId = idSchema('chk')
export const ApprovalId = idSchema('apr')
export const ProviderId = idSchema('prv')
export const ImportId = idSchema('imp')
export const CommentId = idSchema('cmt')
export const LabelId = idSchema('lbl')
export const InviteId = idSchema('inv')
export const ApiTokenId = idSchema('tok')
export const PublicLinkId = idSchema('lnk')

/** A blob's name: the SHA-256 of its bytes, lower-case hex. */
export const BlobHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')

/** Who did it: a user, or `system` for the server itself, or `agent` for the model. */
export const ActorId = z.union([UserId, z.literal('system'), z.literal('agent')])
export type ActorId = z.infer<typeof ActorId>

export type IdPrefix =
  | 'usr'
  | 'team'
  | 'prj'
  | 'thr'
  | 'win'
  | 'trn'
  | 'stp'
  | 'itm'
  | 'op'
  | 'cmd'
  | 'sbx'
  | 'chk'
  | 'apr'
  | 'grt'
  | 'shr'
  | 'rev'
  | 'cmt'
  | 'lbl'
  | 'tok'
  | 'inv'
  | 'prv'
  | 'imp'
  | 'lnk'
  | 'own'

/** Makes a new id, for example `thr_0198…`; ids made later sort later. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${uuidv7()}`
