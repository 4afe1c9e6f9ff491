'use client'
import type { ReactNode } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { useList } from '../../../i18n/units.ts'
import { isPlainKey } from '../../../lib/own.ts'
import { visible } from '../../../lib/visible.ts'
import type { MarkerView } from '../../../protocol/view.ts'
import { At } from '../../ui/time.tsx'
import { ErrorHelp } from '../error-help.tsx'

/** Something that happened beside the work: a restart, a lost sandbox, changed settings. */
export function Marker({ marker }: { marker: MarkerView }) {
  const t = useTranslations('markers')
  const list = useList()
  const { event } = marker
  switch (event.type) {
    case 'server.restarted': {
      const { resumed, repeated, abandoned } = event.body
      return (
        <Rule at={marker.at}>
          {t('restarted', {
            resumed: resumed.length,
            repeated: repeated.length,
            abandoned: abandoned.length,
          })}
        </Rule>
      )
    }
    case 'sandbox.lost':
    case 'checkpoint.failed':
      return (
        <div className="py-1.5">
          <ErrorHelp fact={event.body.error} />
        </div>
      )
    case 'egress.denied':
      return (
        <Rule at={marker.at}>{t('denied', { host: visible(event.body.host), port: event.body.port })}</Rule>
      )
    case 'thread.settings_changed':
      return (
        <Rule at={marker.at}>
          {t('settings', {
            what: list(
              event.body.changed.map((name) => {
                const key = `settingNames.${name}` as Parameters<typeof t.has>[0]
                return isPlainKey(name) && t.has(key) ? t(key as 'settingNames.model') : visible(name)
              }),
            ),
          })}
        </Rule>
      )
    case 'thread.rewound':
      return <Rule at={marker.at}>{t('rewound')}</Rule>
    case 'thread.forked':
      return <Rule at={marker.at}>{t('forked')}</Rule>
    case 'budget.stopped':
      return <Rule at={marker.at}>{t('budget', { budget: visible(event.body.budget) })}</Rule>
  }
}

function Rule({ at, children }: { at: number; children: ReactNode }) {
  return (
    <div className="flex items-center gap-3 py-2 text-xs text-faint">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <span className="text-center">{children}</span>
      <At at={at} className="tabular" />
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  )
}
