'use client'
import { setUi, useUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'

const groups = {
  everywhere: [
    ['palette', 'mod k'],
    ['newThread', 'c'],
    ['goThreads', 'g t'],
    ['goRollouts', 'g r'],
    ['goReviews', 'g v'],
    ['goSettings', 'g s'],
    ['sheet', '?'],
  ],
  thread: [
    ['stop', 'mod .'],
    ['panel', ']'],
    ['changes', 'g 1'],
    ['notes', 'g 2'],
    ['plan', 'g 3'],
    ['window', 'g 4'],
  ],
  rollout: [
    ['nextTurn', 'j k'],
    ['nextStep', 'n p'],
    ['rows', '↓ ↑'],
    ['lane', 'l h'],
    ['along', '→ ←'],
    ['ends', 'g g / G'],
    ['focus', 'f'],
    ['find', '/'],
    ['nextHit', 'n shift+n'],
    ['nextError', 'e shift+e'],
    ['comment', 'c'],
    ['copyLink', 'y'],
    ['whole', 'o'],
    ['tabs', '1 2 3 4'],
  ],
  composer: [
    ['send', 'enter'],
    ['newline', 'shift enter'],
    ['slash', '/'],
    ['steer', 'mod enter'],
    ['stopTwice', 'esc esc'],
    ['editQueue', 'up'],
  ],
} as const

export function ShortcutSheet() {
  const t = useTranslations('shortcuts')
  const open = useUi((ui) => ui.shortcuts)
  return (
    <Dialog open={open} onOpenChange={(shortcuts) => setUi({ shortcuts })} title={t('title')}>
      {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
        <section key={group} className="mb-4 last:mb-0">
          <h3 className="mb-1 text-xs font-medium text-faint">{t(`groups.${group}`)}</h3>
          <dl>
            {groups[group].map(([name, keys]) => (
              <div key={name} className="flex items-center justify-between py-1">
                <dt>{t(`names.${name}`)}</dt>
                <dd>
                  <Kbd keys={keys === 'esc esc' ? 'esc' : keys} />
                  {keys === 'esc esc' && <span className="pl-1 text-xs text-soft">{t('twice')}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
