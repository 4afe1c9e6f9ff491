'use client'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { TextField } from '../../ui/field.tsx'

/** Starts a new window by hand, with a line on what matters if one is wanted. */
export function NewWindow() {
  const factLine = useFactLine()
  const t = useTranslations('windows')
  const store = useThreadStore()
  const [focus, setFocus] = useState('')
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState<{ text: string; bad: boolean } | null>(null)
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setSaid(null)
    try {
      const words = focus.trim()
      const receipt = await store.submit({
        type: 'window.start',
        ...(words === '' ? {} : { focus: words }),
      })
      if (receipt?.error) setSaid({ text: factLine(receipt.error), bad: true })
      else {
        setFocus('')
        setSaid({ text: t('willStart'), bad: false })
      }
    } catch (error) {
      setSaid({ text: factOf(error).message, bad: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void start(event)} className="space-y-2">
      <h2 className="text-sm font-medium">{t('newWindow')}</h2>
      <p className="text-xs text-soft">{t('newWindowText')}</p>
      <TextField
        label={t('focusLabel')}
        value={focus}
        maxLength={4_000}
        onChange={(event) => setFocus(event.target.value)}
      />
      <div className="flex items-center gap-2">
        <Button small type="submit" disabled={busy}>
          {t('start')}
        </Button>
        {said !== null && (
          <span role="status" className={said.bad ? 'text-xs text-bad' : 'text-xs text-soft'}>
            {said.text}
          </span>
        )}
      </div>
    </form>
  )
}
