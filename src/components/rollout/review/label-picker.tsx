'use client'
import { Command } from 'cmdk'
import { Check, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { useLabels, useReviewing } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { LabelColour, reviewLimits } from '../../../protocol/review.ts'
import { useFactLine } from '../../ui/fact.ts'
import { Shown } from '../../ui/shown.tsx'
import { LabelMark } from './label-chip.tsx'

type LabelPickerProps = { threadId: string; on: readonly string[] }

/** The team's words: found by typing, put on and taken off by Enter, made on the spot when there is no such word. */
export function LabelPicker({ threadId, on }: LabelPickerProps) {
  const factLine = useFactLine()
  const t = useTranslations('review.labels')
  const labels = useLabels()
  const reviewing = useReviewing(threadId)
  const [query, setQuery] = useState('')
  const [error, setError] = useState<string | null>(null)
  const offered = (labels.data ?? []).filter(({ id, removedAt }) => removedAt === null || on.includes(id))
  const wanted = query.trim()
  const known = offered.some(({ name }) => name.toLowerCase() === wanted.toLowerCase())

  const toggle = async (labelId: string): Promise<void> => {
    const done = on.includes(labelId)
      ? await reviewing.label([], [labelId])
      : await reviewing.label([labelId], [])
    setError(done.ok ? null : factLine(done.error))
  }
  const create = async (): Promise<void> => {
    try {
      const colour = LabelColour.options[offered.length % LabelColour.options.length] ?? 'grey'
      const made = await api.label.create.mutate({ name: wanted, colour })
      setQuery('')
      await toggle(made.id)
    } catch (failure) {
      setError(factOf(failure).message)
    }
  }

  return (
    <Command label={t('pick')} loop className="rounded-md border border-line">
      <Command.Input
        value={query}
        onValueChange={setQuery}
        maxLength={reviewLimits.labelChars}
        placeholder={t('placeholder')}
        aria-label={t('placeholder')}
        className="h-8 w-full border-b border-line bg-transparent px-2.5 text-sm placeholder:text-faint focus:outline-none"
      />
      <Command.List className="max-h-40 overflow-y-auto p-1">
        {offered.map((label) => (
          <Command.Item
            key={label.id}
            value={visible(`${label.name} ${label.id}`)}
            onSelect={() => void toggle(label.id)}
            className="flex h-7 items-center gap-2 rounded px-2 text-sm data-[selected=true]:bg-hover"
          >
            <LabelMark colour={label.colour} />
            <span className="min-w-0 flex-1 truncate">
              <Shown text={label.name} />
            </span>
            {on.includes(label.id) && (
              <>
                <Check aria-hidden className="size-3.5 text-brand" />
                <span className="sr-only">{t('isOn')}</span>
              </>
            )}
          </Command.Item>
        ))}
        {wanted !== '' && !known && (
          <Command.Item
            value={`${wanted} new`}
            onSelect={() => void create()}
            className="flex h-7 items-center gap-2 rounded px-2 text-sm data-[selected=true]:bg-hover"
          >
            <Plus aria-hidden className="size-3.5 text-soft" />
            <span className="min-w-0 flex-1 truncate">{t('create', { name: visible(wanted) })}</span>
          </Command.Item>
        )}
        {offered.length === 0 && wanted === '' && (
          <p className="px-2 py-1.5 text-xs text-faint">{t('none')}</p>
        )}
      </Command.List>
      {error !== null && (
        <p role="alert" className="border-t border-line px-2.5 py-1 text-xs text-bad">
          {error}
        </p>
      )}
    </Command>
  )
}
