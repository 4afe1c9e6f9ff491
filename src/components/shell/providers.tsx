'use client'
import { QueryClientProvider } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { createQueryClient } from '../../client/query.ts'
import { restoreUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { overlaysId } from '../ui/overlays.ts'

export function Providers({ children }: { children: ReactNode }) {
  const t = useTranslations('frame')
  const [queries] = useState(createQueryClient)
  useEffect(restoreUi, [])
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
        {children}
        <section id={overlaysId} aria-label={t('overlays')} />
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}
