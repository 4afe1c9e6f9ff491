'use client'
import { create } from 'zustand'
import { Shown } from './shown.tsx'

type Said = { text: string; n: number } | null

const useSaid = create<{ said: Said }>(() => ({ said: null }))
let timer: ReturnType<typeof setTimeout> | undefined
/** How long a line stays. */
const shownMs = 2_400

/** Says something in passing that needs no answer. */
export function say(text: string): void {
  clearTimeout(timer)
  useSaid.setState(({ said }) => ({ said: { text, n: (said?.n ?? 0) + 1 } }))
  timer = setTimeout(() => useSaid.setState({ said: null }), shownMs)
}

/** Where it is said; once per page. */
export function Toast() {
  const said = useSaid((state) => state.said)
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-50 flex justify-center px-4">
      {said !== null && (
        <p
          key={said.n}
          className="max-w-full truncate rounded-md border border-line-strong bg-raised px-3 py-1.5 text-sm animate-appear"
        >
          <Shown text={said.text} />
        </p>
      )}
    </div>
  )
}
