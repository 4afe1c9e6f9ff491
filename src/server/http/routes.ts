/**
 * The routes: sign-in, set-up, uploads, blobs, health. Each asks the same `assertCan` as the procedures do.
 */
import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { Fault } from '../../protocol/error.ts'
import { BlobHash, ProjectId, ThreadId } from '../../protocol/ids.ts'
import { uploadLimits } from '../../protocol/upload.ts'
import type { AccessWatch } from '../access/access-watch.ts'
import { addressOf } from '../access/address.ts'
import { assertCan, notSignedIn, threadNotFound } from '../access/permission.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Readings } from '../access/readings.ts'
import { openThread } from '../access/threads.ts'
import type { Action, Actor } from '../access/types.ts'
import type { Auth } from '../auth/types.ts'
import { inviteFault } from '../store/invites.ts'
import type { Store } from '../store/types.ts'
import { accountRoutes, Email, LinkToken, NewPassword, PersonName } from './account-routes.ts'
import { exportRoute } from './export-route.ts'
import { parse, plainHeaders, readJson, sendJson } from './respond.ts'
import { reviewExportRoute } from './review-export.ts'
import type { Route } from './router.ts'
import { stepRoutes } from './step-bytes.ts'
import { inspectTar } from './tar.ts'

/** Bytes of one image or file in a message. */
const maxBlobBytes = 25 * 1_024 * 1_024

export type RouteOptions = {
  store: Store
  auth: Auth
  actor(request: IncomingMessage): Promise<Actor | null>
  readings: Readings
  /** What is still being sent when its reader may not have it any more ends. */
  watch: Pick<AccessWatch, 'follow'>
  /** True once the server takes work. */
  ready(): boolean
}

/** Lets the caller of a request do something to a thread, or throws; what they read is written down. */
export type OnThread = (request: IncomingMessage, threadId: string, action: Action) => Promise<Actor>

const Setup = z.object({ token: LinkToken, name: PersonName, email: Email, password: NewPassword })

/** Kinds of a blob that a browser may show; everything else is a download of plain bytes. */
const shownTypes: { type: string; magic: (bytes: Uint8Array) => boolean }[] = [
  { type: 'image/png', magic: (bytes) => bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e },
  { type: 'image/jpeg', magic: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff },
  { type: 'image/gif', magic: (bytes) => bytes[0] === 0x47 && bytes[1] === 0x49 && bytes[2] === 0x46 },
  {
    type: 'image/webp',
    magic: (bytes) => bytes[0] === 0x52 && bytes[1] === 0x49 && bytes[8] === 0x57 && bytes[9] === 0x45,
  },
]

async function* first(chunk: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield chunk
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

const sendBlob = async (store: Store, hash: string, request: IncomingMessage, response: ServerResponse) => {
  const chunks = store.blobs.read(hash)[Symbol.asyncIterator]()
  const head = await chunks.next()
  const bytes = head.done ? new Uint8Array() : head.value
  const shown = shownTypes.find(({ magic }) => magic(bytes))
  const size = await store.blobs.size(hash)
  response.writeHead(200, {
    ...plainHeaders,
    'content-type': shown?.type ?? 'application/octet-stream',
    'content-disposition': shown ? 'inline' : `attachment; filename="${hash.slice(0, 12)}"`,
    'cache-control': 'private, max-age=31536000, immutable',
    ...(size === null ? {} : { 'content-length': size }),
  })
  if (request.method === 'HEAD') return void response.end()
  for await (const chunk of first(bytes, chunks)) {
    if (response.destroyed) return
    if (!response.write(chunk))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}

/** The list of HTTP doors. */
export const createRoutes = ({ store, auth, actor, readings, watch, ready }: RouteOptions): Route[] => {
  const setupTries = rateLimit(10, 20)
  const uploads = rateLimit(60, 30)

  const onThread: OnThread = async (request, threadId, action) => {
    const who = await actor(request)
    if (!who) throw notSignedIn()
    if (!ThreadId.safeParse(threadId).success) throw threadNotFound()
    const { access } = await openThread(store, who, action, threadId)
    await readings.note(who, access)
    return who
  }

  return [
    {
      method: 'GET',
      pattern: '/api/health',
      handle: async ({ response }) => {
        const database = await store.health().catch(() => false)
        sendJson(response, ready() && database ? 200 : 503, { ready: ready(), database })
      },
    },
    {
      method: 'ANY',
      pattern: '/api/auth/*',
      handle: ({ request, response }) => auth.handle(request, response),
    },
    {
      method: 'POST',
      pattern: '/api/setup',
      handle: async ({ request, response }) => {
        setupTries.take(addressOf(request))
        const { token, name, email, password } = parse(Setup, await readJson(request, 20_000))
        const link = await store.invites.look(token)
        if (link?.kind !== 'setup' || link.state !== 'open') {
          throw inviteFault(link?.kind === 'setup' ? link.state : 'unknown')
        }
        const { userId } = await auth.createUser({ name, email, password, emailVerified: true })
        try {
          await store.invites.redeem(token, userId)
        } catch (error) {
          await auth.removeUser(userId)
          throw error
        }
        const cookies = await auth.signIn({ email, password }, request)
        response.setHeader('set-cookie', cookies)
        sendJson(response, 200, { userId })
      },
    },
    {
      method: 'POST',
      pattern: '/api/projects/:projectId/upload',
      handle: async ({ request, response, params }) => {
        const who = await actor(request)
        const projectId = params.projectId ?? ''
        assertCan(who, 'project.write', { type: 'project', projectId })
        uploads.take(who.userId)
        if (!ProjectId.safeParse(projectId).success)
          throw new Fault('not_found', 'There is no such project.', 'Check the link.')
        await store.projects.get(projectId)
        const tar = await inspectTar(request, uploadLimits.bytes)
        try {
          const stored = await store.blobs.putStream(createReadStream(tar.path), uploadLimits.bytes)
          const upload = { hash: stored.hash, files: tar.files, bytes: tar.bytes }
          sendJson(response, 200, await store.projects.setUpload(projectId, upload, who.userId))
        } finally {
          await tar.remove()
        }
      },
    },
    {
      method: 'POST',
      pattern: '/api/t/:threadId/blobs',
      handle: async ({ request, response, params }) => {
        const threadId = params.threadId ?? ''
        const who = await onThread(request, threadId, 'thread.op')
        uploads.take(who.userId)
        const stored = await store.blobs.putStream(request, maxBlobBytes)
        await store.blobs.ref(threadId, stored.hash)
        sendJson(response, 200, stored)
      },
    },
    {
      method: 'GET',
      pattern: '/t/:threadId/b/:hash',
      handle: async ({ request, response, params }) => {
        const { threadId = '', hash = '' } = params
        await onThread(request, threadId, 'thread.read')
        const known = BlobHash.safeParse(hash).success && (await store.blobs.reachable(threadId, hash))
        if (!known) throw new Fault('not_found', 'This thread has no such file.', 'Reload the thread.')
        await sendBlob(store, hash, request, response)
      },
    },
    ...accountRoutes({ store, auth, actor }),
    reviewExportRoute(store, actor),
    exportRoute(store, onThread, watch),
    ...stepRoutes(store, (request, threadId) => onThread(request, threadId, 'thread.read')),
  ]
}
