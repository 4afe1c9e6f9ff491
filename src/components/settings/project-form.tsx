'use client'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../client/api.ts'
import { useProviders } from '../../client/query.ts'
import { useCreateProject, useUpdateProject } from '../../client/settings.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { Permission, type Project } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { FolderPicker, type Picked } from './folder-picker.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { useFolderUpload } from './use-folder-upload.ts'

const maxInstructions = 32_768
type Wrong = Partial<Record<'name' | 'folder' | 'instructions', string>>

type FormProps = { project: Project | null; onSaved: (project: Project) => void; onCancel: () => void }

/** Makes or changes a project. A new one is made first and then gets its folder; what failed can be tried again. */
export function ProjectForm({ project, onSaved, onCancel }: FormProps) {
  const t = useTranslations('projects')
  const permissionNames = useTranslations('permission')
  const providers = useProviders()
  const [name, setName] = useState(project?.name ?? '')
  const [withFolder, setWithFolder] = useState(false)
  const [picked, setPicked] = useState<Picked | null>(null)
  const [instructions, setInstructions] = useState(project?.instructions ?? '')
  const [defaults, setDefaults] = useState<Project['defaults']>(project?.defaults ?? {})
  const [made, setMade] = useState<Project | null>(project)
  const [wrong, setWrong] = useState<Wrong>({})
  const [fact, setFact] = useState<ErrorFact | null>(null)
  const [busy, setBusy] = useState(false)
  const create = useCreateProject()
  const update = useUpdateProject()
  const upload = useFolderUpload()

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setFact(null)
    const folderWrong = withFolder ? (picked ? upload.check(picked) : t('folderMissing')) : null
    const found: Wrong = {
      ...(name.trim() === '' ? { name: t('nameMissing') } : {}),
      ...(folderWrong === null ? {} : { folder: folderWrong }),
      ...(instructions.length > maxInstructions
        ? { instructions: t('instructionsLong', { count: maxInstructions }) }
        : {}),
    }
    setWrong(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    try {
      const fields = { name: name.trim(), instructions, defaults }
      const saved = made
        ? await update.mutateAsync({ projectId: made.id, ...fields })
        : await create.mutateAsync(fields)
      setMade(saved)
      const failure = withFolder && picked ? await upload.send(saved.id, picked) : null
      if (failure) setFact(failure)
      else onSaved(saved)
    } catch (error) {
      setFact(factOf(error))
    } finally {
      setBusy(false)
    }
  }

  const model = defaults.model ? `${defaults.model.providerId}\n${defaults.model.model}` : ''
  return (
    <form
      onSubmit={(event) => void save(event)}
      noValidate
      aria-label={project ? t('editNamed', { name: visible(project.name) }) : t('add')}
      className="space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <TextField
        label={t('name')}
        value={name}
        maxLength={100}
        autoFocus
        placeholder={t('nameExample')}
        onChange={(event) => setName(event.target.value)}
        error={name.trim() === '' ? wrong.name : undefined}
      />
      <fieldset className="space-y-1">
        <legend className="mb-1 text-xs font-medium text-soft">{t('source')}</legend>
        {[false, true].map((folder) => (
          <label key={String(folder)} className="flex items-center gap-2 text-sm">
            <input
              type="radio"
              name="source"
              checked={withFolder === folder}
              onChange={() => setWithFolder(folder)}
              className="accent-(--brand)"
            />
            {project ? t(folder ? 'replaceFolder' : 'keepSource') : t(folder ? 'fromFolder' : 'startEmpty')}
          </label>
        ))}
      </fieldset>
      {withFolder && (
        <FolderPicker
          picked={picked}
          error={wrong.folder}
          onPick={(next) => {
            setPicked(next)
            if (next && name.trim() === '') setName(next.folder.name.slice(0, 100))
          }}
        />
      )}
      <AreaField
        label={t('instructions')}
        hint={t('instructionsHint')}
        value={instructions}
        onChange={(event) => setInstructions(event.target.value)}
        error={wrong.instructions}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('model')}
          value={model}
          onChange={(event) => {
            const [providerId = '', id = ''] = event.target.value.split('\n')
            const { model: _, ...rest } = defaults
            setDefaults(id === '' ? rest : { ...rest, model: { providerId, model: id } })
          }}
        >
          <option value="">{t('noDefault')}</option>
          {providers.data?.map((provider) => (
            <optgroup key={provider.id} label={visible(provider.name)}>
              {provider.models.map(({ id, label }) => (
                <option key={id} value={`${provider.id}\n${id}`}>
                  {visible(label || id)}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        <SelectField
          label={t('permission')}
          value={defaults.permission ?? ''}
          onChange={(event) => {
            const { permission: _, ...rest } = defaults
            const chosen = Permission.safeParse(event.target.value)
            setDefaults(chosen.success ? { ...rest, permission: chosen.data } : rest)
          }}
        >
          <option value="">{t('noPermission')}</option>
          {Permission.options.map((permission) => (
            <option key={permission} value={permission}>
              {permissionNames(`names.${permission}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <UploadProgress progress={upload.progress} onCancel={upload.cancel} />
      {fact && <Trouble fact={fact} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {busy ? t('saving') : project ? t('save') : t('create')}
        </Button>
      </div>
    </form>
  )
}
