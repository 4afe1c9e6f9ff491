'use client'
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'

type ShownOnceProps = {
  /** What it is: read out, and said above it. */
  label: string
  value: string
  text: string
  onDone: () => void
}

/** A secret that is shown this one time: to be copied, then put away. */
export function ShownOnce({ label, value, text, onDone }: ShownOnceProps) {
  const t = useTranslations('people.once')
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState<boolean | null>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const copy = (): void => {
    field.current?.select()
    // Without https a browser may not give the clipboard away; what is selected can be copied by hand.
    const done = navigator.clipboard?.writeText(value) ?? Promise.reject(new Error('no clipboard'))
    done.then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <section aria-label={label} className="mb-4 rounded-lg border border-brand bg-brand-soft p-4">
      <h3 className="text-sm font-medium">{label}</h3>
      <p className="text-xs text-soft">{text}</p>
      <div className="mt-2.5 flex gap-2 max-sm:flex-col">
        <input
          ref={field}
          readOnly
          value={value}
          aria-label={label}
          onFocus={(event) => event.target.select()}
          className={cn(inputClass, 'font-mono text-xs')}
        />
        <div className="flex gap-2">
          <Button look="primary" onClick={copy}>
            {copied === true ? (
              <Check aria-hidden className="size-4" />
            ) : (
              <Copy aria-hidden className="size-4" />
            )}
            {t(copied === true ? 'copied' : 'copy')}
          </Button>
          <Button onClick={onDone}>{t('done')}</Button>
        </div>
      </div>
      <p role="status" className="text-xs text-soft">
        {copied === false && t('byHand')}
      </p>
    </section>
  )
}
