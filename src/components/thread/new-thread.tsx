'use client'
import { ChevronDown, FolderClosed } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { api, factOf } from '../../client/api.ts'
import { rememberPending } from '../../client/pending.ts'
import { useProjects, useProviders } from '../../client/query.ts'
import { uploadFile } from '../../client/uploads.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { newId } from '../../protocol/ids.ts'
import type { ContentPart } from '../../protocol/item.ts'
import { defaultThreadSettings, type ThreadSettings } from '../../protocol/settings.ts'
import { Bar } from '../shell/bar.tsx'
import { useFactLine } from '../ui/fact.ts'
import { Menu, MenuChoice, MenuChoices, MenuContent, MenuTrigger } from '../ui/menu.tsx'
import { Shown } from '../ui/shown.tsx'
import { Empty, Skeleton } from '../ui/states.tsx'
import { MessageBox } from './composer/message-box.tsx'
import { findModel, ModelPicker, modelsOf, PermissionPicker } from './composer/pickers.tsx'

const lastKey = 'baton.last'
type Last = { projectId?: string; model?: ThreadSettings['model'] }

const readLast = (): Last => {
  try {
    return JSON.parse(localStorage.getItem(lastKey) ?? '{}') as Last
  } catch {
    return {}
  }
}

const linkClass =
  'inline-flex h-8 items-center rounded-md border border-line bg-raised px-3 text-sm font-medium row-hover'

type NewThreadProps = { projectId: string | null; fromThreadId: string | null }

/** A thread begins here: a project, a model, and what is to be done. */
export function NewThread({ projectId: wanted, fromThreadId }: NewThreadProps) {
  const factLine = useFactLine()
  const t = useTranslations('newThread')
  const router = useRouter()
  const projects = useProjects()
  const providers = useProviders()
  const [chosen, setChosen] = useState<string | null>(wanted)
  const [changes, setChanges] = useState<Partial<ThreadSettings>>({})
  const [last, setLast] = useState<Last>({})
  useEffect(() => setLast(readLast()), [])
  useEffect(() => setChosen(wanted), [wanted])

  const list = projects.data ?? []
  const project =
    list.find(({ id }) => id === chosen) ?? list.find(({ id }) => id === last.projectId) ?? list[0]
  const firstModel = modelsOf(providers.data ?? [])[0]
  const preset = { ...defaultThreadSettings, ...project?.defaults, ...changes } as ThreadSettings
  const lastModel = last.model && findModel(providers.data ?? [], { model: last.model }) ? last.model : null
  const settings: ThreadSettings = {
    ...preset,
    model:
      preset.model ??
      lastModel ??
      (firstModel ? { providerId: firstModel.provider.id, model: firstModel.model.id } : null),
  }

  const onSend = async (text: string, files: File[]): Promise<boolean> => {
    if (!project) return false
    try {
      const thread = await api.thread.create.mutate({
        projectId: project.id,
        settings,
        ...(fromThreadId === null ? {} : { fromThreadId }),
      })
      const uploaded = await Promise.all(files.map((file) => uploadFile(thread.id, file)))
      const content: ContentPart[] = [
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
        ...uploaded,
      ]
      // The thread's own page sends it: if this tab dies in between, the message is still there.
      rememberPending(thread.id, {
        clientId: newId('op'),
        op: { type: 'turn.start', content },
        status: 'sending',
        at: Date.now(),
        error: null,
      })
      localStorage.setItem(lastKey, JSON.stringify({ projectId: project.id, model: settings.model }))
      router.push(`/threads/${thread.id}`)
      return true
    } catch (error) {
      const fact = factOf(error)
      throw new Error(factLine(fact))
    }
  }

  return (
    <>
      <Bar>
        <h1 className="text-sm font-semibold">{fromThreadId === null ? t('title') : t('titleFrom')}</h1>
      </Bar>
      <div className="flex min-h-0 flex-1 flex-col justify-center overflow-y-auto px-4 pb-[14vh]">
        <div className="mx-auto w-full max-w-2xl">
          {projects.isPending || providers.isPending ? (
            <Skeleton className="h-32" />
          ) : list.length === 0 ? (
            <Empty title={t('noProject')}>
              <p>{t('noProjectText')}</p>
              <p className="pt-3">
                <Link href="/settings/projects" className={linkClass}>
                  {t('makeProject')}
                </Link>
              </p>
            </Empty>
          ) : firstModel === undefined ? (
            <Empty title={t('noModel')}>
              <p>{t('noModelText')}</p>
              <p className="pt-3">
                <Link href="/settings/providers" className={linkClass}>
                  {t('addProvider')}
                </Link>
              </p>
            </Empty>
          ) : (
            <>
              <h2 className="pb-4 text-center text-lg font-semibold tracking-tight">{t('ask')}</h2>
              {fromThreadId !== null && <p className="pb-3 text-center text-sm text-soft">{t('fromHere')}</p>}
              <MessageBox
                place={`new:${project?.id ?? ''}`}
                label={t('label')}
                placeholder={t('placeholder')}
                running={false}
                onSend={onSend}
              >
                <Menu>
                  <MenuTrigger
                    disabled={fromThreadId !== null}
                    aria-label={t('project')}
                    className="inline-flex h-7 min-w-0 items-center gap-1 rounded-md px-1.5 text-xs text-soft row-hover data-[state=open]:bg-hover"
                  >
                    <FolderClosed aria-hidden className="size-3.5 shrink-0" />
                    <span className="truncate">
                      <Shown text={project?.name ?? ''} />
                    </span>
                    <ChevronDown aria-hidden className="size-3 shrink-0" />
                  </MenuTrigger>
                  <MenuContent align="start">
                    <MenuChoices value={project?.id ?? ''} onValueChange={setChosen}>
                      {list.map(({ id, name }) => (
                        <MenuChoice key={id} value={id} label={<Shown text={name} />} />
                      ))}
                    </MenuChoices>
                  </MenuContent>
                </Menu>
                <ModelPicker
                  settings={settings}
                  spoken={null}
                  onChange={(change) => setChanges({ ...changes, ...change })}
                />
                <PermissionPicker
                  settings={settings}
                  onChange={(change) => setChanges({ ...changes, ...change })}
                />
              </MessageBox>
            </>
          )}
        </div>
      </div>
    </>
  )
}
