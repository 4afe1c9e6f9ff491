'use client'
import { Command } from 'cmdk'
import { GitCompareArrows } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useThreads } from '../../../client/query.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { ThreadStateIcon } from '../../shell/thread-state.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Ago } from '../../ui/time.tsx'

export const comparePath = (a: string, b: string): string => `/rollouts/compare?a=${a}&b=${b}`

/** Chooses the rollout that this one is laid beside. */
export function CompareButton({ threadId }: { threadId: string }) {
  const t = useTranslations('compare')
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton label={t('with')} onClick={() => setOpen(true)}>
        <GitCompareArrows aria-hidden />
      </IconButton>
      <CompareDialog threadId={threadId} open={open} onOpenChange={setOpen} />
    </>
  )
}

type DialogProps = { threadId: string; open: boolean; onOpenChange: (open: boolean) => void }

/** The choice itself, for whatever opens it. */
export function CompareDialog({ threadId, open, onOpenChange }: DialogProps) {
  const t = useTranslations('compare')
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('choose')}>
      {open && <Choose threadId={threadId} onChosen={() => onOpenChange(false)} />}
    </Dialog>
  )
}

function Choose({ threadId, onChosen }: { threadId: string; onChosen: () => void }) {
  const t = useTranslations('compare')
  const untitled = useTranslations('sidebar')('untitled')
  const router = useRouter()
  const threads = useThreads({ limit: 500 })
  const others = (threads.data?.threads ?? []).filter(({ id, turns }) => id !== threadId && turns > 0)
  return (
    <Command label={t('choose')} loop className="-m-2">
      <Command.Input
        autoFocus
        placeholder={t('search')}
        aria-label={t('search')}
        className="h-9 w-full rounded-md border border-line bg-transparent px-2.5 text-sm placeholder:text-faint"
      />
      <Command.List className="mt-1.5 max-h-[45vh] overflow-y-auto">
        <Command.Empty className="px-3 py-6 text-center text-sm text-soft">
          {threads.isPending ? t('loading') : t('noOthers')}
        </Command.Empty>
        {others.map((thread) => (
          <Command.Item
            key={thread.id}
            value={visible(`${thread.title} ${thread.projectName} ${thread.id}`)}
            onSelect={() => {
              onChosen()
              router.push(comparePath(threadId, thread.id))
            }}
            className="flex h-8 items-center gap-2 rounded-md px-2 text-sm data-[selected=true]:bg-hover"
          >
            <ThreadStateIcon thread={thread} />
            <span className="min-w-0 flex-1 truncate">
              <Shown text={thread.title || untitled} />
            </span>
            <span className="max-w-32 truncate text-xs text-faint">
              <Shown text={thread.projectName} />
            </span>
            <Ago at={thread.updatedAt} className="text-xs text-faint" />
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}
