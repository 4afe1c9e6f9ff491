import Link from 'next/link'
import type { ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'
import { Bar } from './bar.tsx'

/** A page whose thread or rollout could not be opened: it is not there, or it can be tried again. */
export function NotOpened({
  words,
  error,
  toAll,
  onRetry,
}: {
  words: { title: string; missing: string; failed: string; retry: string; toAll: string }
  error: ErrorFact | null
  /** The page that lists what there is. */
  toAll: string
  onRetry: () => void
}) {
  const missing = error?.code === 'not_found'
  return (
    <>
      <Bar>
        <h1 className="text-sm font-semibold">{words.title}</h1>
      </Bar>
      <div className="mx-auto w-full max-w-xl p-6">
        <Trouble title={missing ? words.missing : words.failed} {...(error === null ? {} : { fact: error })}>
          {!missing && (
            <Button small onClick={onRetry}>
              {words.retry}
            </Button>
          )}
          <Link href={toAll} className="inline-flex h-7 items-center px-2 text-xs text-brand">
            {words.toAll}
          </Link>
        </Trouble>
      </div>
    </>
  )
}
