// The client of Google's SDK for one connection: its address, and the `fetch` that all of its requests go through.
import type { GoogleGenAI } from '@google/genai'
import type { ProviderConnection } from './types.ts'

/** Loaded when the first connection needs it: it is large, and it reads the environment unless told everything. */
export async function google(connection: ProviderConnection, send: typeof fetch): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai')
  const { baseUrl, apiVersion } = googleAddress(connection.baseUrl)
  return new GoogleGenAI({
    apiKey: connection.apiKey || 'none',
    vertexai: false,
    apiVersion,
    httpOptions: { baseUrl, apiVersion, fetch: send, headers: connection.headers ?? {} },
  })
}

/** People give the address with and without its version. */
function googleAddress(given: string | null): { baseUrl: string; apiVersion: string } {
  const whole = (given ?? 'https://generativelanguage.googleapis.com').replace(/\/+$/, '')
  const version = /\/(v\d[a-z0-9]*)$/.exec(whole)?.[1]
  return {
    baseUrl: version === undefined ? whole : whole.slice(0, -version.length - 1),
    apiVersion: version ?? 'v1beta',
  }
}
