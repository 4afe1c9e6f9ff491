import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

export const inputClass =
  'w-full rounded-md border border-line-strong bg-background px-2.5 py-1.5 text-sm text-foreground placeholder:text-faint focus:border-brand focus:outline-none focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-brand disabled:opacity-60'

type FieldProps = { label: string; hint?: ReactNode; error?: string | null | undefined }

/** What is wrong takes the place of the hint, so that a form does not grow under the hand. */
function Frame({ id, label, hint, error, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-xs font-medium text-soft">
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-xs text-bad">
          {error}
        </p>
      ) : (
        hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-faint">
            {hint}
          </p>
        )
      )}
    </div>
  )
}

const describedBy = (id: string, { hint, error }: FieldProps): string | undefined =>
  error ? `${id}-error` : hint === undefined ? undefined : `${id}-hint`

export function TextField({ label, hint, error, className, ...props }: FieldProps & ComponentProps<'input'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        className={cn(inputClass, className)}
        {...props}
      />
    </Frame>
  )
}

export function AreaField({
  label,
  hint,
  error,
  className,
  ...props
}: FieldProps & ComponentProps<'textarea'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        className={cn(inputClass, 'min-h-24', className)}
        {...props}
      />
    </Frame>
  )
}

export function SelectField({
  label,
  hint,
  error,
  className,
  ...props
}: FieldProps & ComponentProps<'select'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        aria-describedby={describedBy(id, { label, hint, error })}
        className={cn(inputClass, 'h-8.5 py-0', className)}
        {...props}
      />
    </Frame>
  )
}
