/** Negative, zero or positive, by the numbers at the start of each version. */
export function compareVersions(a: string, b: string): number
/** Whether a runc has the fixes for the known container escapes. */
export function runcIsFixed(version: string): boolean
