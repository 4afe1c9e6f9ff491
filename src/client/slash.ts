/** Commands that are typed into the composer: which ones fit, and what a finished line asks for. Pure. */

export type SlashCommand = {
  name: string
  /** What may follow: nothing, a line of words, or one of these. */
  takes: 'nothing' | 'line' | readonly string[]
}

export type Suggestion = {
  command: SlashCommand
  /** One of the command's words; absent for the command itself. */
  word?: string
  /** The line when it is chosen. */
  line: string
}

/** A line that begins with a command, or null. A path such as `/etc/hosts` is none. */
export function parseSlash(text: string): { name: string; rest: string } | null {
  const match = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/.exec(text)
  return match === null ? null : { name: match[1] ?? '', rest: (match[2] ?? '').trim() }
}

/** What fits the beginning of a line, in the order of the commands. */
export function suggest(text: string, commands: readonly SlashCommand[]): Suggestion[] {
  const begun = /^\/([a-z-]*)$/.exec(text)?.[1]
  if (begun !== undefined)
    return commands
      .filter(({ name }) => name.startsWith(begun))
      .map((command) => ({ command, line: `/${command.name}${command.takes === 'nothing' ? '' : ' '}` }))
  const parsed = /^\/([a-z-]+) ([a-z-]*)$/.exec(text)
  const command = commands.find(({ name }) => name === parsed?.[1])
  if (command === undefined || typeof command.takes === 'string') return []
  return command.takes
    .filter((word) => word.startsWith(parsed?.[2] ?? ''))
    .map((word) => ({ command, word, line: `/${command.name} ${word}` }))
}
