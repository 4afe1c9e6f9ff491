'use client'
import { Pin, PinOff } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useMay } from '../../../client/thread-people.ts'
import { useThreadStore } from '../../../client/use-thread.ts'
import { usePinned } from '../../../client/use-windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { useFactLine } from '../../ui/fact.ts'

/** Pins an item, so that every later window is given it; or takes the pin away. Says so when that is refused. */
export function PinButton({ itemId, name }: { itemId: string; name: string }) {
  const factLine = useFactLine()
  const t = useTranslations('windows')
  const store = useThreadStore()
  const pinned = usePinned().includes(itemId)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const may = useMay('driver')
  const toggle = async (): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      const receipt = await store.submit({ type: 'window.pin', itemId, pinned: !pinned })
      if (receipt?.error) setProblem(factLine(receipt.error))
    } catch (error) {
      setProblem(factOf(error).message)
    } finally {
      setBusy(false)
    }
  }
  if (!may) return <span aria-hidden className="w-6" />
  return (
    <>
      {problem !== null && (
        <span role="alert" className="min-w-0 text-xs text-bad wrap-anywhere">
          {problem}
        </span>
      )}
      <IconButton
        label={pinned ? t('unpin', { name: visible(name) }) : t('pin', { name: visible(name) })}
        aria-pressed={pinned}
        disabled={busy}
        onClick={() => void toggle()}
        className={cn('size-6', pinned && 'text-brand')}
      >
        {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
      </IconButton>
    </>
  )
}
