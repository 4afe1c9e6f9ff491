/**
 * Recognises a shell command that is nothing but a patch: `apply_patch` fed by a here-document, at most after one
 * `cd folder &&`. Anything more is left to the shell, where `apply_patch` is a command like others.
 */

export type ShellPatch =
  | { type: 'patch'; patch: string; workdir: string | null }
  /** The patch itself was given as the command. */
  | { type: 'bare' }
  | { type: 'other' }

const other: ShellPatch = { type: 'other' }
const names = ['apply_patch', 'applypatch']
const shells = ['bash', 'sh', 'zsh']

const looksBare = (text: string): boolean => /^\s*\*\*\* Begin Patch\s*\n/.test(text)

const word = String.raw`(?:'([^'\n]*)'|"([^"\n$\x60\\]*)"|([^\s'"$\x60\\;&|<>(){}*?#~!\[\]]+))`
const opening = new RegExp(
  String.raw`^\s*(?:cd[ \t]+${word}[ \t]*&&[ \t]*)?(?:apply_patch|applypatch)[ \t]*<<(-?)[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))[ \t]*\r?\n`,
)

const fromScript = (script: string): ShellPatch => {
  if (looksBare(script)) return { type: 'bare' }
  const match = opening.exec(script)
  if (match === null) return other
  const workdir = match[1] ?? match[2] ?? match[3] ?? null
  const tabsGo = match[4] === '-'
  const delimiter = match[5] ?? match[6] ?? match[7]
  const body = script
    .slice(match[0].length)
    .split('\n')
    .map((line) => (tabsGo ? line.replace(/^\t+/, '') : line))
  const close = body.findIndex((line) => line.replace(/\r$/, '') === delimiter)
  if (close < 0 || body.slice(close + 1).some((line) => line.trim() !== '')) return other
  return { type: 'patch', patch: body.slice(0, close).join('\n'), workdir }
}

/** What a command is; `argv` as a process would get it, a script as `['bash', '-lc', script]`. */
export const shellPatch = (argv: string[]): ShellPatch => {
  const [program, second, script] = argv
  if (program === undefined) return other
  if (argv.length === 1 && looksBare(program)) return { type: 'bare' }
  if (argv.length === 2 && second !== undefined && names.includes(program))
    return { type: 'patch', patch: second, workdir: null }
  const isShell = shells.includes(program.split('/').at(-1) ?? '')
  if (argv.length !== 3 || !isShell || (second !== '-lc' && second !== '-c') || script === undefined)
    return other
  return fromScript(script)
}
