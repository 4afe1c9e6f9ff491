'use client'
import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../../ui/cn.ts'

export type Choice<V extends string> = { value: V; title: string; text: string; mark?: ReactNode }

type Props<V extends string> = {
  label: string
  value: V
  choices: readonly Choice<V>[]
  onChange: (value: V) => void
}

/** One of a few, each with a line that says what it means. */
export function ChoiceList<V extends string>({ label, value, choices, onChange }: Props<V>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-xs font-medium text-soft">{label}</legend>
      <RadioGroup.Root
        value={value}
        onValueChange={(next) => onChange(next as V)}
        aria-label={label}
        className={cn('grid gap-1.5', choices.length % 3 === 0 ? 'sm:grid-cols-3' : 'sm:grid-cols-2')}
      >
        {choices.map((choice) => (
          <RadioGroup.Item
            key={choice.value}
            value={choice.value}
            className={cn(
              'flex min-w-0 gap-2.5 rounded-lg border border-line px-3 py-2 text-left hover:bg-hover',
              'data-[state=checked]:border-brand data-[state=checked]:bg-brand-soft',
            )}
          >
            <span
              aria-hidden
              className={cn(
                'mt-1 flex size-3.5 shrink-0 items-center justify-center rounded-full border',
                choice.value === value ? 'border-brand' : 'border-line-strong',
              )}
            >
              {choice.value === value && <span className="size-2 rounded-full bg-brand" />}
            </span>
            <span className="min-w-0">
              <span className="flex items-center gap-2 text-sm font-medium">
                {choice.title}
                {choice.mark}
              </span>
              <span className="block text-xs text-soft">{choice.text}</span>
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </fieldset>
  )
}
