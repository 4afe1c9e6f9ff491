import type { ReactNode } from 'react'
import { cn } from './cn.ts'

type ChoiceProps<Value extends string> = {
  /** Read out; what is seen are the choices. */
  label: string
  name: string
  value: Value
  choices: readonly { value: Value; content: ReactNode; lang?: string }[]
  onChange: (value: Value) => void
}

/** A few choices side by side, of which one holds. */
export function Choice<Value extends string>({ label, name, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="inline-flex rounded-lg border border-line p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          lang={choice.lang}
          className={cn(
            'inline-flex cursor-pointer items-center gap-1.5 rounded-md px-3 py-1 text-sm text-soft has-focus-visible:outline-2 has-focus-visible:outline-brand',
            value === choice.value && 'bg-hover font-medium text-foreground',
          )}
        >
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
            className="sr-only"
          />
          {choice.content}
        </label>
      ))}
    </fieldset>
  )
}
