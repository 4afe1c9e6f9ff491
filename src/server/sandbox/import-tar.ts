/**
 * Unpacks an upload into an empty workspace, by a command inside the sandbox: what a hostile archive can reach is what
 * any command can. Streams; holds nothing.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { Commands } from './commands.ts'
import { workspacePath } from './types.ts'

const pieceBytes = 256 * 1024

/** Exit codes of the script that say more than failure. */
const notEmpty = 90

/** An import that was cut off leaves a mark, so that the next one begins with an empty folder again. */
const script = `
cd ${workspacePath} || exit 1
unfinished="$HOME/.import-unfinished"
[ ! -e "$unfinished" ] || find . -mindepth 1 -delete
[ -z "$(ls -A)" ] || exit ${notEmpty}
: > "$unfinished"
tar -xf - --no-same-owner --no-same-permissions || { code=$?; find . -mindepth 1 -delete; exit $code; }
rm -f "$unfinished"
find . -mindepth 1 ! -type d -printf '%s\\n' | awk '{ n += 1; s += $1 } END { printf "files=%d bytes=%d\\n", n, s }'
`

/** Small chunks joined: a request each would cost more than the bytes. */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    waiting.push(chunk)
    size += chunk.length
    if (size < pieceBytes) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

export const importTar = async (
  commands: Commands,
  tar: AsyncIterable<Uint8Array>,
): Promise<{ files: number; bytes: number }> => {
  const commandId = newId('cmd')
  await commands.run({ commandId, script, mode: 'workspace-write', keepStdin: true })
  let output = ''
  const reading = (async () => {
    for await (const { bytes } of commands.output(commandId, 0, { follow: true }))
      output = (output + Buffer.from(bytes).toString('utf8')).slice(-4_000)
  })()
  reading.catch(() => undefined)
  try {
    await commands.feed(commandId, inPieces(tar), true)
  } catch (error) {
    await commands.kill(commandId).catch(() => undefined)
    throw error
  }
  const end = await commands.wait(commandId)
  await reading
  await commands.forget(commandId).catch(() => undefined)
  if (end.exitCode === notEmpty)
    throw new Fault('conflict', 'The workspace already has files.', 'Import into a new thread.')
  if (/no space left on device|disk quota exceeded/i.test(output))
    throw new Fault('disk_full', 'The disk is full: the files did not fit.', 'Free space, then import again.')
  const counted = /files=(\d+) bytes=(\d+)\s*$/.exec(output)
  if (end.exitCode !== 0 || counted === null)
    throw new Fault(
      'import_rejected',
      `The archive could not be unpacked: ${output.trim().slice(-500) || `exit ${end.exitCode ?? end.signal}`}`,
      'Upload the folder again.',
    )
  return { files: Number(counted[1]), bytes: Number(counted[2]) }
}
