'use client'
import { useState } from 'react'
import { signInByProvider } from '../../client/account.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'

/** Signs in at the company's provider and comes back to `callback`. */
export function ProviderButton({ label, callback }: { label: string; callback: string }) {
  const [busy, setBusy] = useState(false)
  const [fact, setFact] = useState<ErrorFact | null>(null)
  const go = async (): Promise<void> => {
    setBusy(true)
    setFact(null)
    const failure = await signInByProvider(callback)
    // On success the page is already on its way.
    if (failure === null) return
    setFact(failure)
    setBusy(false)
  }
  return (
    <>
      {fact !== null && <Trouble fact={fact} />}
      <Button className="w-full" disabled={busy} onClick={() => void go()}>
        {label}
      </Button>
    </>
  )
}
