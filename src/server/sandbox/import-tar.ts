/**
 * Unpacks an upload into an empty workspace, by a command inside the sandbox: what a hostile archive can reach is what
 * any command can. Streams; holds nothing.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { Commands } from './commands.ts'
import { disconnected } from './faults.ts'
import type { LinkRequest } from './link.ts'
import { workspacePath } from './types.ts'

/** Exit codes of the script that say more than failure. */
const notEmpty = 90

const script = `
cd ${workspacePath} || exit 1
[ -z "$(ls -A)" ] || exit ${notEmpty}
tar -xf - --no-same-owner --no-same-permissions || exit $?
find . -mindepth 1 ! -type d -printf '%s\\n' | awk '{ n += 1; s += $1 } END { printf "files=%d bytes=%d\\n", n, s }'
`

export const importTar = async (
  commands: Commands,
  json: <T>(request: LinkRequest) => Promise<T>,
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
    await json({
      method: 'POST',
      path: `/commands/${commandId}/input?close=1`,
      body: tar,
      repeatable: false,
    })
  } catch (error) {
    // A program that ended takes no more input: then its own words say why.
    const state = (await commands.list()).find((command) => command.commandId === commandId)
    if (state === undefined || state.end === null) {
      await commands.kill(commandId).catch(() => undefined)
      throw error instanceof Error ? error : disconnected(error)
    }
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
