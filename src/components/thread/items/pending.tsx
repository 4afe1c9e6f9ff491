'use client'
import type { PendingOp } from '../../../client/pending.ts'
import { useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Content } from './user-message.tsx'

/** A message on its way to the server; it is kept in the browser until the server has it. */
export function Pending({ op }: { op: PendingOp }) {
  const t = useTranslations('pending')
  const store = useThreadStore()
  const failed = op.status === 'failed' || op.status === 'refused'
  if (op.op.type !== 'turn.start' && op.op.type !== 'turn.steer') return null
  return (
    <article
      className="my-3 rounded-lg border border-dashed border-line-strong px-3.5 py-2.5"
      data-item="pending"
    >
      <header className="pb-0.5 text-xs text-faint">
        {failed ? (
          <span className="text-bad">{t('failed')}</span>
        ) : (
          t(op.op.type === 'turn.steer' && op.status === 'accepted' ? 'steers' : 'sending')
        )}
      </header>
      <Content parts={op.op.content} />
      {failed && (
        <div className="flex flex-wrap items-center gap-2 pt-2">
          <p className="flex-1 text-xs text-soft">
            <Shown text={`${op.error?.message ?? ''} ${op.error?.next ?? ''}`} />
          </p>
          <Button small onClick={() => store.again(op.clientId)}>
            {t('again')}
          </Button>
          <Button small look="quiet" onClick={() => store.dismiss(op.clientId)}>
            {t('discard')}
          </Button>
        </div>
      )}
    </article>
  )
}
