'use client'
import type { Suggestion } from '../../../client/slash.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { cn } from '../../ui/cn.ts'

type SlashMenuProps = {
  id: string
  suggestions: readonly Suggestion[]
  active: number
  onChoose: (suggestion: Suggestion) => void
}

export const optionId = (id: string, index: number): string => `${id}-${index}`

/** Commands that fit what is being written; the text field keeps the focus and the keys. */
export function SlashMenu({ id, suggestions, active, onChoose }: SlashMenuProps) {
  const t = useTranslations('commandsMenu')
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t('label')}
      className="absolute inset-x-0 bottom-full z-20 mb-1.5 max-h-72 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 animate-appear"
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys.
        <div
          key={suggestion.line}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // The field must not lose the focus to a click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
          className={cn(
            'flex cursor-default items-baseline gap-2 rounded-md px-2 py-1 text-sm row-hover',
            index === active && 'bg-hover',
          )}
        >
          <Words suggestion={suggestion} />
        </div>
      ))}
      <p className="px-2 pt-1 text-2xs text-faint">{t('escape')}</p>
    </div>
  )
}

function Words({ suggestion: { command, word } }: { suggestion: Suggestion }) {
  const t = useTranslations('commandsMenu')
  const strategies = useTranslations('strategies')
  if (word !== undefined) {
    const key = `explain.${word}` as Parameters<typeof strategies.has>[0]
    return (
      <>
        <span className="shrink-0 font-medium">{word}</span>
        <span className="min-w-0 text-xs text-soft">
          {strategies.has(key) && strategies(key as 'explain.windows')}
        </span>
      </>
    )
  }
  const argument = `arguments.${command.name}` as Parameters<typeof t.has>[0]
  return (
    <>
      <span className="shrink-0 font-medium">/{command.name}</span>
      {t.has(argument) && <span className="shrink-0 text-faint">{t(argument as 'arguments.strategy')}</span>}
      <span className="min-w-0 truncate text-xs text-soft">{t(`names.${command.name}` as 'names.stop')}</span>
    </>
  )
}
