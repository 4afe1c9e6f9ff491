'use client'
import { Tabs } from 'radix-ui'
import { type PanelTab, setUi, useUi } from '../../../client/ui-store.ts'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Changes } from './changes.tsx'
import { Notes } from './notes.tsx'
import { Plan } from './plan.tsx'
import { WindowPanel } from './window.tsx'

const tabClass =
  'relative h-12 px-1 text-sm text-soft data-[state=active]:text-foreground data-[state=active]:after:absolute data-[state=active]:after:inset-x-0 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:bg-brand'

/** What the thread has made and what it goes on from: changed files, notes, the plan, the context window. */
export function Panel() {
  const t = useTranslations('panel')
  const tab = useUi((ui) => ui.panelTab)
  const files = useThread((state) => state.projection?.filesChanged ?? 0)
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(value) => setUi({ panelTab: value as PanelTab })}
      className="flex h-full min-h-0 flex-col"
    >
      <Tabs.List
        aria-label={t('label')}
        className="flex h-12 shrink-0 items-center gap-4 border-b border-line px-4"
      >
        <Tabs.Trigger value="changes" className={tabClass}>
          {t('changes')}
          {files > 0 && <span className="pl-1.5 text-xs text-faint tabular">{files}</span>}
        </Tabs.Trigger>
        <Tabs.Trigger value="notes" className={tabClass}>
          {t('notes')}
        </Tabs.Trigger>
        <Tabs.Trigger value="plan" className={tabClass}>
          {t('plan')}
        </Tabs.Trigger>
        <Tabs.Trigger value="window" className={tabClass}>
          {t('window')}
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content
        value="changes"
        className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
      >
        <Changes />
      </Tabs.Content>
      <Tabs.Content value="notes" className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        <Notes />
      </Tabs.Content>
      <Tabs.Content value="plan" className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        <Plan />
      </Tabs.Content>
      <Tabs.Content value="window" className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        <WindowPanel />
      </Tabs.Content>
    </Tabs.Root>
  )
}
