/**
 * What a procedure is given: the rooms below and the caller. The caller is looked up anew for each call.
 */
import type { IncomingMessage } from 'node:http'
import type { ModelInfo, ProviderKind } from '../../protocol/settings.ts'
import type { AccessWatch } from '../access/access-watch.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import type { Readings } from '../access/readings.ts'
import type { Actor } from '../access/types.ts'
import type { Log } from '../log.ts'
import type { Importer } from '../rollouts/import/importer.ts'
import type { Presence } from '../runtime/presence.ts'
import type { WorkerApi } from '../runtime/types.ts'
import type { Store } from '../store/types.ts'

export type ProbeInput = { kind: ProviderKind; baseUrl: string | null; key: string | null }

/** What the provider room offers to settings pages. */
export type ModelDirectory = {
  /** Asks the vendor for its list of models; rejects with a Fault of the provider codes. */
  probe(input: ProbeInput, signal: AbortSignal): Promise<{ id: string; label: string }[]>
  /** Models that the bundled data knows for a wire. */
  catalogue(kind: ProviderKind): ModelInfo[]
  /** A model's figures: the bundled data's, or a careful guess. */
  describe(kind: ProviderKind, model: string): ModelInfo
}

export type Services = {
  store: Store
  worker: WorkerApi
  imports: Importer
  models: ModelDirectory
  version: string
  log: Log
}

/** What all doors of one server share beside the rooms below. */
export type DoorParts = {
  watch: AccessWatch
  readings: Readings
  presence: Presence
  /** Searches, by person: each may cost the database a second. */
  searches: RateLimit
  /** Tries of visitors, by address. */
  guesses: RateLimit
  /** What people are offered on the page where they sign in; null = e-mail and password alone. */
  oidc: { name: string } | null
}

export type Context = Services &
  DoorParts & {
    /** The session that the socket's cookies named; null for a visitor. */
    sessionId: string | null
    /** Resolves the caller as the database says now. A procedure has the answer as `actor`, and asks again here. */
    actorNow(): Promise<Actor | null>
    /** Bytes that wait in this tab's socket. */
    buffered(): number
    request: IncomingMessage
  }
