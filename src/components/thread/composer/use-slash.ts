'use client'
import { type KeyboardEvent, useId, useState } from 'react'
import { type SlashCommand, type Suggestion, suggest } from '../../../client/slash.ts'

/** What a command did: words for the person, good or bad. */
export type CommandAnswer = { problem: string } | { said: string } | null

export type SlashCommands = {
  commands: readonly SlashCommand[]
  run: (name: string, rest: string) => Promise<CommandAnswer>
}

type Slash = {
  id: string
  suggestions: Suggestion[]
  active: number
  choose: (suggestion: Suggestion) => void
  /** True when the key was the menu's. */
  onKeyDown: (event: KeyboardEvent) => boolean
}

/** The menu of commands over a text: which are shown, which is chosen. `run` takes a line that is whole. */
export function useSlash(
  text: string,
  commands: readonly SlashCommand[],
  write: (text: string) => void,
  run: (line: string) => void,
): Slash {
  const id = useId()
  const [at, setAt] = useState({ text: '', index: 0, closed: false })
  const here = at.text === text ? at : { text, index: 0, closed: false }
  const suggestions = here.closed ? [] : suggest(text, commands)
  const active = Math.min(here.index, suggestions.length - 1)
  const choose = (suggestion: Suggestion): void => {
    const whole = suggestion.word !== undefined || suggestion.command.takes === 'nothing'
    if (whole) run(suggestion.line)
    else write(suggestion.line)
  }
  return {
    id,
    suggestions,
    active,
    choose,
    onKeyDown: (event) => {
      const suggestion = suggestions[active]
      if (suggestion === undefined) return false
      const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      if (move !== 0) setAt({ ...here, index: (active + move + suggestions.length) % suggestions.length })
      else if (event.key === 'Escape') setAt({ ...here, closed: true })
      else if (event.key === 'Tab' && !event.shiftKey) write(suggestion.line)
      else if (event.key === 'Enter' && !event.shiftKey) {
        // A command that needs nothing more is run as it stands.
        if (suggestion.command.takes === 'line' && text === `/${suggestion.command.name}`) run(text)
        else choose(suggestion)
      } else return false
      event.preventDefault()
      return true
    },
  }
}
