'use client'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { useMay } from '../../client/thread-people.ts'
import { useThread, useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { ErrorCode, ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'

const providerCodes: ErrorCode[] = [
  'provider_auth',
  'provider_quota',
  'model_not_found',
  'provider_unreachable',
]
const goOnCodes: ErrorCode[] = [
  'provider_rate_limited',
  'provider_overloaded',
  'provider_protocol',
  'stream_cut',
  'limit_reached',
  'stuck',
  'sandbox_unavailable',
  'sandbox_lost',
  'command_lost',
  'internal',
]

const linkClass =
  'inline-flex h-7 items-center rounded-md border border-line bg-raised px-2 text-xs font-medium row-hover'

type ErrorHelpProps = {
  fact: ErrorFact
  /** Words that say more than the code's own. */
  title?: string
  /** True at the end of the thread, where going on makes sense. */
  last?: boolean
}

/** An error in words: what happened, its particulars, and one button that helps. */
export function ErrorHelp({ fact, title, last = false }: ErrorHelpProps) {
  const t = useTranslations('errors')
  const store = useThreadStore()
  const threadId = useThread((state) => state.threadId)
  const may = useMay('driver')
  const projectId = useThread((state) => state.projection?.projectId)
  const goOn = (): void => {
    void store.submit({ type: 'turn.start', content: [{ type: 'text', text: t('goOnMessage') }] })
  }
  const action = ((): ReactNode => {
    if (providerCodes.includes(fact.code))
      return (
        <>
          <Link href="/settings/providers" className={linkClass}>
            {t('openProviders')}
          </Link>
          {last && may && (
            <Button small onClick={goOn}>
              {t('goOn')}
            </Button>
          )}
        </>
      )
    if (fact.code === 'context_overflow' && projectId && may)
      return (
        <Link href={`/new?project=${projectId}&from=${threadId}`} className={linkClass}>
          {t('newFromHere')}
        </Link>
      )
    if (last && may && goOnCodes.includes(fact.code))
      return (
        <Button small onClick={goOn}>
          {t('goOn')}
        </Button>
      )
    return null
  })()
  return (
    <Trouble title={title ?? t(`codes.${fact.code}`)} fact={fact}>
      {action}
    </Trouble>
  )
}
