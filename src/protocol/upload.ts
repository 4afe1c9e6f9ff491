/** What one uploaded folder may hold: files, and bytes of its archive. */
export const uploadLimits = { files: 100_000, bytes: 512 * 1_024 * 1_024 }
