/** The door through which a file of rollouts comes in: read while it is sent, never kept as a file. */
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../protocol/error.ts'
import { ImportId, ProjectId } from '../../protocol/ids.ts'
import { importLimits } from '../../protocol/import.ts'
import { assertCan } from '../access/permission.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Actor } from '../access/types.ts'
import type { Importer } from '../rollouts/import/importer.ts'
import { sendJson } from './respond.ts'
import type { Route } from './router.ts'

export type ImportRouteOptions = {
  imports: Importer
  actor(request: IncomingMessage): Promise<Actor | null>
}

const sizeOf = (request: IncomingMessage): number | null => {
  const length = Number(request.headers['content-length'])
  return Number.isSafeInteger(length) && length >= 0 && request.headers['content-length'] !== undefined
    ? length
    : null
}

/** `POST /api/imports?project=…&name=…[&id=imp_…]`: the body is the file. Answers with its `ImportState` when it is read. */
export const importRoute = ({ imports, actor }: ImportRouteOptions): Route => {
  const begun = rateLimit(60, 30)
  return {
    method: 'POST',
    pattern: '/api/imports',
    handle: async ({ request, response, url }) => {
      const who = await actor(request)
      const projectId = url.searchParams.get('project') ?? ''
      assertCan(who, 'rollout.import', { type: 'project', projectId })
      if (!ProjectId.safeParse(projectId).success)
        throw new Fault(
          'not_found',
          'There is no such project.',
          'Name the project that the rollout goes to.',
        )
      const importId = url.searchParams.get('id')
      if (importId !== null && !ImportId.safeParse(importId).success)
        throw new Fault('bad_input', 'id: must be an id that begins with imp_', 'Leave it out.')
      const bytes = sizeOf(request)
      if (bytes !== null && bytes > importLimits.bytes)
        throw new Fault(
          'too_large',
          `The file is larger than ${importLimits.bytes.toLocaleString('en')} bytes.`,
          'Import it compressed, or a part of it.',
        )
      begun.take(who.userId)
      const state = await imports.run({
        ...(importId === null ? {} : { importId }),
        // Its end must not end the connection: the answer still goes over it.
        source: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
        fileName: url.searchParams.get('name') ?? '',
        bytes,
        projectId,
        actorId: who.userId,
      })
      if (state.error !== null) {
        const { code, message, next, details } = state.error
        throw new Fault(code, message, next, { ...details, importId: state.importId })
      }
      sendJson(response, 200, state)
    },
  }
}
