'use client'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { factOf } from '../../client/api.ts'
import { useProjects, useProviders } from '../../client/query.ts'
import { useDeleteProject } from '../../client/settings.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Project } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Empty, Skeleton, Trouble } from '../ui/states.tsx'
import { Ago } from '../ui/time.tsx'
import { ProjectForm } from './project-form.tsx'
import { Section } from './settings-frame.tsx'

const linkClass = 'text-brand underline underline-offset-2'

export function ProjectsPage() {
  const t = useTranslations('projects')
  const projects = useProjects()
  const providers = useProviders()
  const [editing, setEditing] = useState<{ id: string | null } | null>(null)
  const [saved, setSaved] = useState<Project | null>(null)
  const list = projects.data ?? []
  const open = (id: string | null): void => {
    setEditing({ id })
    setSaved(null)
  }
  const done = (project: Project): void => {
    setEditing(null)
    setSaved(project)
  }

  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={
        editing === null && (
          <Button look="primary" onClick={() => open(null)}>
            <Plus aria-hidden className="size-4" /> {t('add')}
          </Button>
        )
      }
    >
      {saved !== null && (
        <p role="status" className="mb-3 text-sm text-good">
          {t('saved', { name: saved.name })}{' '}
          {providers.data?.length === 0 ? (
            <Link href="/settings/providers" className={linkClass}>
              {t('nextProvider')}
            </Link>
          ) : (
            <Link href={`/new?project=${saved.id}`} className={linkClass}>
              {t('nextThread')}
            </Link>
          )}
        </p>
      )}
      {editing !== null && editing.id === null && (
        <div className="mb-4">
          <ProjectForm project={null} onSaved={done} onCancel={() => setEditing(null)} />
        </div>
      )}
      {projects.isPending ? (
        <Skeleton className="h-16" />
      ) : projects.isError ? (
        <Trouble title={factOf(projects.error).message} detail={factOf(projects.error).next} />
      ) : list.length === 0 ? (
        editing === null && (
          <div className="rounded-lg border border-line">
            <Empty title={t('none')}>{t('noneText')}</Empty>
          </div>
        )
      ) : (
        <ul className="space-y-2">
          {list.map((project) =>
            editing?.id === project.id ? (
              <li key={project.id}>
                <ProjectForm project={project} onSaved={done} onCancel={() => setEditing(null)} />
              </li>
            ) : (
              <ProjectCard key={project.id} project={project} onEdit={() => open(project.id)} />
            ),
          )}
        </ul>
      )}
    </Section>
  )
}

function ProjectCard({ project, onEdit }: { project: Project; onEdit: () => void }) {
  const t = useTranslations('projects')
  const remove = useDeleteProject()
  const [asking, setAsking] = useState(false)
  const { name, source } = project
  const fact = remove.isError ? factOf(remove.error) : null
  return (
    <li className="rounded-lg border border-line px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 flex-1">
          <h3 className="truncate font-medium">{name}</h3>
          <p className="text-xs text-soft">
            {source.type === 'empty' ? (
              t('isEmpty')
            ) : (
              <>
                {t('isFolder', { files: source.files, size: formatBytes(source.bytes) })},{' '}
                <Ago at={source.uploadedAt} />
              </>
            )}
            {' · '}
            {t('threads', { count: project.threadCount })}
          </p>
        </div>
        <div className="flex gap-2">
          <Link
            href={`/new?project=${project.id}`}
            aria-label={t('threadIn', { name })}
            className="inline-flex h-7 items-center rounded-md border border-line bg-raised px-2 text-xs font-medium row-hover"
          >
            {t('newThread')}
          </Link>
          <Button small onClick={onEdit} aria-label={t('editNamed', { name })}>
            {t('edit')}
          </Button>
          <Button
            small
            look="danger"
            disabled={remove.isPending}
            onClick={() => setAsking(true)}
            aria-label={t('deleteNamed', { name })}
          >
            {t('delete')}
          </Button>
        </div>
      </div>
      {fact && (
        <div className="mt-2">
          <Trouble title={fact.message} detail={fact.next} />
        </div>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteTitle')}
        description={t('deleteText', { name })}
        action={t('delete')}
        onConfirm={() => remove.mutate(project.id)}
      />
    </li>
  )
}
