'use client'
import { useEffect, useState } from 'react'
import { useConnection } from '../../client/connection.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { cn } from '../ui/cn.ts'
import { Dot } from '../ui/states.tsx'

/** Whether this tab hears the server, in words. */
export function ConnectionBadge({ catchingUp = false }: { catchingUp?: boolean }) {
  const t = useTranslations('connection')
  const live = useConnection((connection) => connection.status)
  // The socket's state is known only in the browser; the server's page says `connecting`.
  const [mounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  const status = !mounted ? 'connecting' : live === 'live' && catchingUp ? 'catching_up' : live
  return (
    <div
      role="status"
      data-connection={status}
      className={cn(
        'flex h-7 items-center gap-2 px-2 text-xs text-faint',
        status === 'offline' && 'text-wait',
      )}
    >
      <Dot
        moving={status === 'connecting' || status === 'catching_up'}
        className={status === 'live' ? 'bg-good' : status === 'offline' ? 'bg-wait' : 'bg-brand'}
      />
      {t(status)}
    </div>
  )
}
