'use client'
import { FileUp } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { useProjects } from '../../../client/query.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { ImportDrop } from './import-drop.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportReportView } from './import-report.tsx'
import { useImport } from './use-import.ts'

/** Stands in the header of the list of rollouts; `?import` in the address opens it, so that other places can. */
export function ImportButton() {
  const t = useTranslations('import')
  const params = useSearchParams()
  const router = useRouter()
  const path = usePathname()
  const asked = params.has('import')
  const [pressed, setOpen] = useState(false)
  const open = pressed || asked
  const close = (): void => {
    setOpen(false)
    if (!asked) return
    const rest = new URLSearchParams(params)
    rest.delete('import')
    const text = rest.toString()
    router.replace(text === '' ? path : `${path}?${text}`, { scroll: false })
  }
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        <FileUp aria-hidden className="size-3.5" />
        {t('action')}
      </Button>
      {open && <ImportDialog onClose={close} />}
    </>
  )
}

/** From choosing a file to what was read of it. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('import')
  const projects = useProjects()
  const { phase, start, stop, reset } = useImport()
  const [chosen, setChosen] = useState('')
  const projectId = chosen || (projects.data?.[0]?.id ?? '')
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('title')}
    >
      {phase.type === 'choosing' &&
        (projects.data === undefined ? (
          <Skeleton className="h-64" />
        ) : projects.data.length === 0 ? (
          <p className="text-sm text-soft">{t('noProjects')}</p>
        ) : (
          <div className="space-y-4">
            <ImportDrop onFile={(file) => void start(projectId, file)} />
            <div className="max-w-72">
              <SelectField
                label={t('project')}
                hint={t('projectHint')}
                value={projectId}
                onChange={(event) => setChosen(event.target.value)}
              >
                {projects.data.map((project) => (
                  <option key={project.id} value={project.id}>
                    {visible(project.name)}
                  </option>
                ))}
              </SelectField>
            </div>
          </div>
        ))}
      {phase.type === 'running' && (
        <ImportProgress file={phase.file} sent={phase.sent} state={phase.state} onStop={stop} />
      )}
      {phase.type === 'done' && <ImportReportView state={phase.state} onAnother={reset} />}
      {phase.type === 'failed' && (
        <div className="space-y-4">
          <Trouble title={t('failed')} fact={phase.error}>
            <Button small onClick={reset}>
              {t('again')}
            </Button>
          </Trouble>
        </div>
      )}
    </Dialog>
  )
}
