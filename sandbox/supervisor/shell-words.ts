// A command request as one bash script. Pure; knows no process.
import { badInput } from './failure.ts'
import type { CommandRequest } from './protocol.ts'

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** One shell word that is `text` again. A line end is written as an escape, so that line numbers of the script stay. */
export const quoted = (text: string): string =>
  text.includes('\n')
    ? `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
    : `'${text.replaceAll("'", "'\\''")}'`

/**
 * The script that the waiting shell runs: environment, folder and standard input are set on its first line, before
 * the caller's own first line.
 * @throws Failure `bad_input` for NUL, for a name that is no shell identifier, for neither or both of script and argv
 */
export const scriptOf = (request: CommandRequest, cwd: string): Buffer => {
  const { script, argv } = request
  if ((script === undefined) === (argv === undefined)) throw badInput('Give either a script or an argv.')
  if (argv?.length === 0) throw badInput('The argv is empty.')
  const env = Object.entries(request.env ?? {})
  for (const text of [script ?? '', ...(argv ?? []), cwd, ...env.flat()])
    if (text.includes('\0')) throw badInput('A command must not contain a NUL character.')
  const first: string[] = []
  for (const [name, value] of env) {
    if (!identifier.test(name))
      throw badInput(`${JSON.stringify(name)} is no name of an environment variable.`)
    first.push(`export ${name}=${quoted(value)}`)
  }
  if (request.tty && request.env?.TERM === undefined) first.push('export TERM=xterm-256color')
  first.push(`cd -- ${quoted(cwd)} || exit 126`)
  if (!request.tty && request.stdin !== 'pipe' && request.input === undefined) first.push('exec 0</dev/null')
  const words = script ?? `exec -- ${(argv ?? []).map(quoted).join(' ')}`
  return Buffer.from(`${first.join('; ')}; ${words}`)
}
