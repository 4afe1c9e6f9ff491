/**
 * A folder of files as a tar archive, in the browser. Files stay on the disk until the archive is read: the archive is a
 * Blob that points at them. Knows no server and no screen.
 */

/** A file and its path inside the folder, with slashes and without one in front. */
export type FolderFile = { path: string; file: File }

const block = 512
const encoder = new TextEncoder()

const padding = (bytes: number): number => (block - (bytes % block)) % block

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0') + '\0'

type Header = { name: Uint8Array; size: number; mode: number; modifiedSeconds: number; type: '0' | 'x' }

function header({ name, size, mode, modifiedSeconds, type }: Header): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block)
  const put = (text: string, at: number): void => bytes.set(encoder.encode(text), at)
  bytes.set(name.subarray(0, 100), 0)
  put(octal(mode, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(modifiedSeconds, 11), 136)
  put(' '.repeat(8), 148)
  put(type, 156)
  put('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

/** One record of an extended header; its length counts its own digits. */
function record(key: string, value: string): Uint8Array<ArrayBuffer> {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return encoder.encode(`${length} ${key}=${value}\n`)
}

/** A browser does not say whether a file may be run; a script says it in its first two bytes. */
async function modeOf({ path, file }: FolderFile): Promise<number> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name.includes('.') && !/\.(sh|bash|py|pl|rb|[cm]?js|ts)$/.test(name)) return 0o644
  return (await file.slice(0, 2).text()) === '#!' ? 0o755 : 0o644
}

/** The archive; rejects when a file cannot be read any more. */
export async function folderTar(files: readonly FolderFile[]): Promise<Blob> {
  const parts: BlobPart[] = []
  for (const entry of files) {
    const { path, file } = entry
    const name = encoder.encode(path)
    const modifiedSeconds = Math.max(0, Math.floor(file.lastModified / 1_000))
    if (name.length > 100 || name.length !== path.length) {
      const extended = record('path', path)
      parts.push(
        header({
          name: encoder.encode('path'),
          size: extended.length,
          mode: 0o644,
          modifiedSeconds,
          type: 'x',
        }),
        extended,
        new Uint8Array(padding(extended.length)),
      )
    }
    parts.push(
      header({ name, size: file.size, mode: await modeOf(entry), modifiedSeconds, type: '0' }),
      file,
      new Uint8Array(padding(file.size)),
    )
  }
  parts.push(new Uint8Array(2 * block))
  return new Blob(parts)
}
