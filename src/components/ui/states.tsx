import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { type Fact, useFactWords } from './fact.ts'
import { Shown } from './shown.tsx'

/** Space for what is loading, so that nothing jumps when it is there. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('animate-breathe rounded-md bg-hover', className)} />
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="text-sm font-medium">{title}</p>
      {children !== undefined && <div className="max-w-[48ch] text-sm text-soft">{children}</div>}
    </div>
  )
}

type TroubleProps = { children?: ReactNode } & (
  | { title: string; detail?: string; fact?: undefined }
  | {
      /** Words that say more than the fact's own. */
      title?: string
      fact: Fact
      detail?: undefined
    }
)

/** What happened, what was kept, one thing that helps. */
export function Trouble({ title, detail, fact, children }: TroubleProps) {
  const wordsOf = useFactWords()
  const words = fact && wordsOf(fact)
  const more = words === undefined ? detail : (title ?? words.title) === words.title ? words.next : words.both
  return (
    <div role="alert" className="flex gap-2.5 rounded-lg border border-line bg-bad-soft px-3 py-2.5 text-sm">
      <CircleAlert aria-hidden className="mt-0.75 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <Shown text={title ?? words?.title ?? ''} />
        </p>
        {more !== undefined && (
          <p className="text-soft wrap-anywhere">
            <Shown text={more} />
          </p>
        )}
        {words !== undefined && words.original !== null && (
          <p lang="en" className="mt-1 text-xs text-soft wrap-anywhere">
            <Shown text={words.original} />
          </p>
        )}
        {children !== undefined && <div className="mt-2 flex flex-wrap gap-2">{children}</div>}
      </div>
    </div>
  )
}

export function Dot({ className, moving = false }: { className?: string; moving?: boolean }) {
  return (
    <span
      aria-hidden
      className={cn('inline-block size-2 shrink-0 rounded-full', moving && 'animate-breathe', className)}
    />
  )
}
