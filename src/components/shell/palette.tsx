'use client'
import { Command } from 'cmdk'
import {
  BetweenHorizontalStart,
  Boxes,
  CircleStop,
  ClipboardCheck,
  FileUp,
  FolderClosed,
  GanttChart,
  Keyboard,
  Link2,
  List,
  Monitor,
  Moon,
  PanelRight,
  Plus,
  Server,
  Sun,
  User,
  Users,
} from 'lucide-react'
import { usePathname, useRouter } from 'next/navigation'
import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { useProjects, useThreads } from '../../client/query.ts'
import { chooseTheme, openPanel, panelTabs, setUi, useUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import { DialogContent } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Shown } from '../ui/shown.tsx'
import { ThreadStateIcon } from './thread-state.tsx'

const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint'

export function Palette() {
  const t = useTranslations('palette')
  const open = useUi((ui) => ui.palette)
  const setOpen = (palette: boolean): void => setUi({ palette })
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-shade animate-appear" />
        <DialogContent
          aria-describedby={undefined}
          className="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line-strong bg-raised animate-appear focus:outline-none"
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <Commands close={() => setOpen(false)} />
        </DialogContent>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Commands({ close }: { close: () => void }) {
  const t = useTranslations('palette')
  const untitled = useTranslations('sidebar')('untitled')
  const router = useRouter()
  const path = usePathname()
  const threadPath = path.match(/^\/threads\/[^/]+/)?.[0]
  const inThread = threadPath === path
  const threads = useThreads({ limit: 200, archived: false })
  const projects = useProjects()
  const stop = useUi((ui) => ui.stop)
  const newWindow = useUi((ui) => ui.newWindow)
  const run = (action: () => void) => () => {
    close()
    action()
  }
  const go = (path: string) => run(() => router.push(path))

  return (
    <Command label={t('title')} loop filter={rank}>
      <Command.Input
        placeholder={t('placeholder')}
        className="h-11 w-full border-b border-line bg-transparent px-4 text-sm placeholder:text-faint focus:outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-sm text-soft">{t('nothing')}</Command.Empty>
        <Command.Group heading={t('commands')} className={groupClass}>
          <Entry icon={<Plus aria-hidden />} onSelect={go('/new')} keys="c">
            {t('newThread')}
          </Entry>
          {stop !== null && (
            <Entry icon={<CircleStop aria-hidden />} onSelect={run(stop)} keys="mod .">
              {t('stop')}
            </Entry>
          )}
          {inThread && (
            <Entry
              icon={<PanelRight aria-hidden />}
              onSelect={run(() => setUi({ panelOpen: !useUi.getState().panelOpen }))}
              keys="]"
            >
              {t('panel')}
            </Entry>
          )}
          <Entry icon={<List aria-hidden />} onSelect={go('/')} keys="g t">
            {t('allThreads')}
          </Entry>
          <Entry icon={<ClipboardCheck aria-hidden />} onSelect={go('/reviews')} keys="g v">
            {t('reviews')}
          </Entry>
          <Entry icon={<GanttChart aria-hidden />} onSelect={go('/rollouts')} keys="g r">
            {t('rollouts')}
          </Entry>
          <Entry icon={<FileUp aria-hidden />} onSelect={go('/rollouts?import')}>
            {t('import')}
          </Entry>
          {inThread && (
            <Entry icon={<GanttChart aria-hidden />} onSelect={go(`${threadPath}/rollout`)}>
              {t('rollout')}
            </Entry>
          )}
          {newWindow !== null && (
            <>
              <Entry icon={<BetweenHorizontalStart aria-hidden />} onSelect={run(newWindow)}>
                {t('newWindow')}
              </Entry>
              {panelTabs.map((panel, index) => (
                <Entry
                  key={panel}
                  icon={<PanelRight aria-hidden />}
                  onSelect={run(() => openPanel(panel))}
                  keys={`g ${index + 1}`}
                >
                  {t(panel)}
                </Entry>
              ))}
            </>
          )}
          <Entry icon={<Keyboard aria-hidden />} onSelect={run(() => setUi({ shortcuts: true }))} keys="?">
            {t('shortcuts')}
          </Entry>
        </Command.Group>
        <Command.Group heading={t('threads')} className={groupClass}>
          {threads.data?.threads.map((thread) => (
            <Entry
              key={thread.id}
              value={visible(`${thread.title} ${thread.projectName} ${thread.id}`)}
              icon={<ThreadStateIcon thread={thread} />}
              onSelect={go(`/threads/${thread.id}`)}
              note={thread.projectName}
            >
              <Shown text={thread.title || untitled} />
            </Entry>
          ))}
        </Command.Group>
        <Command.Group heading={t('newIn')} className={groupClass}>
          {projects.data?.map((project) => (
            <Entry
              key={project.id}
              value={visible(`${t('newIn')} ${project.name} ${project.id}`)}
              icon={<FolderClosed aria-hidden />}
              onSelect={go(`/new?project=${project.id}`)}
            >
              <Shown text={project.name} />
            </Entry>
          ))}
        </Command.Group>
        <Command.Group heading={t('settings')} className={groupClass}>
          <Entry icon={<Server aria-hidden />} onSelect={go('/settings/providers')}>
            {t('providers')}
          </Entry>
          <Entry icon={<Boxes aria-hidden />} onSelect={go('/settings/projects')}>
            {t('projects')}
          </Entry>
          <Entry icon={<Users aria-hidden />} onSelect={go('/settings/team')}>
            {t('team')}
          </Entry>
          <Entry icon={<Link2 aria-hidden />} onSelect={go('/settings/links')}>
            {t('links')}
          </Entry>
          <Entry icon={<User aria-hidden />} onSelect={go('/settings/account')}>
            {t('account')}
          </Entry>
          <Entry icon={<Sun aria-hidden />} onSelect={run(() => chooseTheme('light'))}>
            {t('light')}
          </Entry>
          <Entry icon={<Moon aria-hidden />} onSelect={run(() => chooseTheme('dark'))}>
            {t('dark')}
          </Entry>
          <Entry icon={<Monitor aria-hidden />} onSelect={run(() => chooseTheme('system'))}>
            {t('system')}
          </Entry>
        </Command.Group>
      </Command.List>
    </Command>
  )
}

/** Every word that was typed stands in the entry; its beginning counts more. Letters that lie apart find nothing. */
function rank(value: string, search: string): number {
  const text = value.toLowerCase()
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (!words.every((word) => text.includes(word))) return 0
  return text.startsWith(words[0] ?? '') ? 1 : 0.5
}

type EntryProps = {
  icon: ReactNode
  onSelect: () => void
  value?: string
  keys?: string
  note?: string
  children: ReactNode
}

function Entry({ icon, onSelect, value, keys, note, children }: EntryProps) {
  return (
    <Command.Item
      {...(value === undefined ? {} : { value })}
      onSelect={onSelect}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-soft"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note !== undefined && (
        <span className="truncate text-xs text-faint">
          <Shown text={note} />
        </span>
      )}
      {keys !== undefined && <Kbd keys={keys} />}
    </Command.Item>
  )
}
