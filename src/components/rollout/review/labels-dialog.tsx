'use client'
import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, factOf, type Inputs } from '../../../client/api.ts'
import { useLabels } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { type Label, LabelColour, reviewLimits } from '../../../protocol/review.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { inputClass } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { LabelMark } from './label-chip.tsx'

type Props = { open: boolean; onOpenChange: (open: boolean) => void }

/** The team's vocabulary: names, colours, what is offered. */
export function LabelsDialog({ open, onOpenChange }: Props) {
  const factLine = useFactLine()
  const t = useTranslations('review.labels')
  const queries = useQueryClient()
  const labels = useLabels()
  const [name, setName] = useState('')
  const [error, setError] = useState<string | null>(null)
  const run = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work
      setError(null)
      return true
    } catch (failure) {
      const fact = factOf(failure)
      setError(factLine(fact))
      return false
    } finally {
      void queries.invalidateQueries({ queryKey: ['labels'] })
    }
  }
  const create = async (): Promise<void> => {
    const count = labels.data?.length ?? 0
    const colour = LabelColour.options[count % LabelColour.options.length] ?? 'grey'
    if (await run(api.label.create.mutate({ name, colour }))) setName('')
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('title')} description={t('text')}>
      <form
        className="mb-3 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void create()
        }}
      >
        <input
          value={name}
          maxLength={reviewLimits.labelChars}
          aria-label={t('newName')}
          placeholder={t('newName')}
          onChange={(event) => setName(event.target.value)}
          className={inputClass}
        />
        <Button look="primary" type="submit" disabled={name.trim() === ''}>
          {t('add')}
        </Button>
      </form>
      {error !== null && (
        <p role="alert" className="mb-2 text-xs text-bad">
          {error}
        </p>
      )}
      {labels.isPending ? (
        <Skeleton className="h-24" />
      ) : (
        <ul className="space-y-1">
          {labels.data?.map((label) => (
            <Row
              key={`${label.id} ${label.name}`}
              label={label}
              change={(change) => void run(api.label.change.mutate({ labelId: label.id, ...change }))}
            />
          ))}
          {labels.data?.length === 0 && <li className="text-sm text-soft">{t('none')}</li>}
        </ul>
      )}
    </Dialog>
  )
}

type Change = Omit<Inputs['label']['change'], 'labelId'>

function Row({ label, change }: { label: Label; change: (change: Change) => void }) {
  const t = useTranslations('review.labels')
  const colours = useTranslations('review.colours')
  const gone = label.removedAt !== null
  return (
    <li className={cn('flex items-center gap-2', gone && 'opacity-60')}>
      <LabelMark colour={label.colour} />
      <input
        defaultValue={label.name}
        maxLength={reviewLimits.labelChars}
        aria-label={t('nameOf', { name: label.name })}
        disabled={gone}
        onBlur={(event) => {
          const next = event.target.value.trim()
          if (next !== '' && next !== label.name) change({ name: next })
          else event.target.value = label.name
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
        className="h-7 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-1.5 text-sm row-hover focus:border-line-strong"
      />
      <select
        value={label.colour}
        aria-label={t('colourOf', { name: label.name })}
        disabled={gone}
        onChange={(event) => change({ colour: LabelColour.parse(event.target.value) })}
        className="h-7 rounded-md border border-line bg-background px-1 text-xs"
      >
        {LabelColour.options.map((colour) => (
          <option key={colour} value={colour}>
            {colours(colour)}
          </option>
        ))}
      </select>
      <span className="w-16 text-right text-xs text-faint tabular">{t('used', { count: label.used })}</span>
      <IconButton
        label={gone ? t('restore', { name: label.name }) : t('remove', { name: label.name })}
        onClick={() => change({ removed: !gone })}
      >
        {gone ? <RotateCcw aria-hidden /> : <Trash2 aria-hidden />}
      </IconButton>
    </li>
  )
}
