'use client'
import Link from 'next/link'
import { factOf } from '../../client/api.ts'
import { useProjects, useProviders } from '../../client/query.ts'
import { useDeleteProject } from '../../client/settings.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { formatBytes } from '../../lib/format.ts'
import { visible } from '../../lib/visible.ts'
import type { Project } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'
import { Ago } from '../ui/time.tsx'
import { DeleteButton, EditableList } from './editable-list.tsx'
import { ProjectForm } from './project-form.tsx'

const linkClass = 'text-brand underline underline-offset-2'

export function ProjectsPage() {
  const t = useTranslations('projects')
  const projects = useProjects()
  const providers = useProviders()
  return (
    <EditableList<Project, Project>
      words={{
        title: t('title'),
        text: t('text'),
        add: t('add'),
        none: t('none'),
        noneText: t('noneText'),
      }}
      query={projects}
      form={(project, onSaved, onCancel) => (
        <ProjectForm project={project} onSaved={onSaved} onCancel={onCancel} />
      )}
      card={(project, onEdit) => <ProjectCard project={project} onEdit={onEdit} />}
      saved={(project) => (
        <>
          {t('saved', { name: visible(project.name) })}{' '}
          {providers.data?.length === 0 ? (
            <Link href="/settings/providers" className={linkClass}>
              {t('nextProvider')}
            </Link>
          ) : (
            <Link href={`/new?project=${project.id}`} className={linkClass}>
              {t('nextThread')}
            </Link>
          )}
        </>
      )}
    />
  )
}

function ProjectCard({ project, onEdit }: { project: Project; onEdit: () => void }) {
  const t = useTranslations('projects')
  const remove = useDeleteProject()
  const { source } = project
  const name = visible(project.name)
  const fact = remove.isError ? factOf(remove.error) : null
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 flex-1">
          <h3 className="truncate font-medium">{name}</h3>
          <p className="text-xs text-soft">
            {source.type === 'empty' ? (
              t('isEmpty')
            ) : (
              <>
                {t('isFolder', { files: source.files, size: formatBytes(source.bytes) })}
                {' · '}
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
          <DeleteButton
            words={{
              title: t('deleteTitle'),
              text: t('deleteText', { name }),
              action: t('delete'),
              label: t('deleteNamed', { name }),
            }}
            removal={{ isPending: remove.isPending, mutate: () => remove.mutate(project.id) }}
          />
        </div>
      </div>
      {fact && (
        <div className="mt-2">
          <Trouble fact={fact} />
        </div>
      )}
    </>
  )
}
