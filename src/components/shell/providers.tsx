'use client'
import { QueryClientProvider } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { createQueryClient } from '../../client/query.ts'
import { restoreUi } from '../../client/ui-store.ts'

export function Providers({ children }: { children: ReactNode }) {
  const [queries] = useState(createQueryClient)
  useEffect(restoreUi, [])
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
        {children}
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}
