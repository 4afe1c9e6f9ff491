/** Strict UTF-8: a file that is not text is told with the place of its first wrong byte instead of being damaged. */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** How many bytes from `at` form a character, or how many are wrong (negative; 0 = cut off by the end). */
const characterAt = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const size =
    first >= 0xc2 && first < 0xe0
      ? 2
      : first >= 0xe0 && first < 0xf0
        ? 3
        : first >= 0xf0 && first < 0xf5
          ? 4
          : 0
  if (size === 0) return -1
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  for (let offset = 1; offset < size; offset++) {
    const byte = bytes[at + offset]
    if (byte === undefined) return 0
    const [from, to] = offset === 1 ? [low, high] : [0x80, 0xbf]
    if (byte < from || byte > to) return -offset
  }
  return size
}

/** The text, byte order mark included, or what is wrong with the bytes. */
export const decodeUtf8 = (bytes: Uint8Array): string | { fault: string } => {
  try {
    return strict.decode(bytes)
  } catch {
    let at = 0
    let length = characterAt(bytes, at)
    while (length > 0 && at < bytes.length) {
      at += length
      length = characterAt(bytes, at)
    }
    const what =
      length === 0 ? 'incomplete utf-8 byte sequence' : `invalid utf-8 sequence of ${-length} bytes`
    return { fault: `${what} from index ${at}` }
  }
}
