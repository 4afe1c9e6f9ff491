/** Starts (or adopts) the PostgreSQL of a data folder; see postgres.mjs. */
export function startPostgres(
  folder: string,
  options?: { database?: string; durable?: boolean; keepAlive?: boolean },
): Promise<{ url: string; adopted: boolean; cluster: string; stop(): Promise<void> }>
