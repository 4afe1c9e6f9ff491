/** What the server tells its launcher once it answers; `setupUrl` only while there is no owner. */
export type Ready = { url: string; setupUrl?: string }
/** Starts the server with exactly this environment; see server.mjs. */
export function startServer(
  folder: string,
  env: Record<string, string | undefined>,
): Promise<{ ready: Ready; ended: Promise<never>; pid(): number; stop(): Promise<void> }>
