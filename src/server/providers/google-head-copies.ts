// Google's explicit cache: a copy of tools and instructions under a name, for so many seconds. Written once by the SDK;
// requests then name it (google-genai.ts). Its rent is not in the bundled prices; what making it costs is plain input.
import { type Json, record, word } from './fields.ts'
import { google } from './google-client.ts'
import type { HeadCopies, ProviderConnection, WireBlock } from './types.ts'
import { jsonOf } from './wire-block.ts'

/** A call that makes, prolongs or removes a copy answers within a few seconds, or not at all. */
const LIMIT_MS = 20_000

const seconds = (ms: number): string => `${Math.max(1, Math.floor(ms / 1_000))}s`

/** `failureOf` turns what the SDK throws into a ProviderFailure, or into the signal's reason. */
export function googleHeadCopies(
  connection: ProviderConnection,
  send: typeof fetch,
  failureOf: (thrown: unknown, signal: AbortSignal | null) => unknown,
): HeadCopies {
  async function call<T>(
    signal: AbortSignal,
    make: (client: Awaited<ReturnType<typeof google>>, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await make(
        await google(connection, send),
        AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      )
    } catch (thrown) {
      throw failureOf(thrown, signal)
    }
  }
  return {
    make: ({ model, blocks, ttlMs }, signal) =>
      call(signal, async (client, abortSignal) => {
        const { tools, instructions } = headOf(blocks)
        const made = await client.caches.create({
          model,
          config: {
            ttl: seconds(ttlMs),
            abortSignal,
            ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools }] } : {}),
            ...(instructions.length > 0 ? { systemInstruction: { parts: instructions } } : {}),
          },
        })
        const name = word(made.name)
        if (name === null) throw new Error('the vendor made a copy and did not say its name')
        return { name, tokens: made.usageMetadata?.totalTokenCount ?? 0, ttlMs }
      }),
    extend: (name, ttlMs, signal) =>
      call(signal, async (client, abortSignal) => {
        await client.caches.update({ name, config: { ttl: seconds(ttlMs), abortSignal } })
      }),
    remove: (name, signal) =>
      call(signal, async (client, abortSignal) => {
        await client.caches.delete({ name, config: { abortSignal } })
      }),
  }
}

/** The very fragments that requests without a copy would have. */
function headOf(blocks: readonly WireBlock[]): { tools: Json[]; instructions: Json[] } {
  const of = (slot: string): Json[] =>
    blocks
      .filter((block) => block.slot === slot)
      .map((block) => record(JSON.parse(Buffer.from(jsonOf(block)).toString())) ?? {})
  return { tools: of('tool'), instructions: of('instructions') }
}
