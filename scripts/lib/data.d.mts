/** Makes the folder so that PostgreSQL's user can pass through it; see data.mjs. */
export function makeDataFolder(folder: string): void
/** Takes the folder for this process, waiting up to `waitMs`; returns a function that gives it back. */
export function lockDataFolder(folder: string, waitMs?: number): Promise<() => void>
