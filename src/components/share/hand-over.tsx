'use client'
import { useState } from 'react'
import { factOf } from '../../client/api.ts'
import type { useChangeSharing } from '../../client/thread-people.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { SharedRole, ThreadPerson } from '../../protocol/access.ts'
import { Button } from '../ui/button.tsx'
import { Trouble } from '../ui/states.tsx'
import { sharedRoles } from './role-menu.tsx'

type HandOverProps = {
  to: ThreadPerson
  change: ReturnType<typeof useChangeSharing>
  onDone: () => void
  onCancel: () => void
}

/** Makes somebody else the owner; says what changes, and asks what the one who gives it away keeps. */
export function HandOver({ to, change, onDone, onCancel }: HandOverProps) {
  const t = useTranslations('people')
  const [keep, setKeep] = useState<SharedRole | null>('driver')
  const name = visible(to.name)
  return (
    <form
      aria-label={t('share.handOverTitle', { name })}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ type: 'handOver', toUserId: to.userId, keep }, { onSuccess: onDone })
      }}
    >
      <div>
        <h3 className="font-medium">{t('share.handOverTitle', { name })}</h3>
        <p className="text-sm text-soft">{t('share.handOverText', { name })}</p>
      </div>
      <fieldset className="space-y-1">
        <legend className="pb-1.5 text-xs font-medium text-soft">{t('share.keep')}</legend>
        {[...sharedRoles].reverse().map((role) => (
          <Keep
            key={role}
            checked={keep === role}
            onChange={() => setKeep(role)}
            name={t(`threadRoles.names.${role}`)}
            text={t(`threadRoles.may.${role}`)}
          />
        ))}
        <Keep
          checked={keep === null}
          onChange={() => setKeep(null)}
          name={t('share.keepNothing')}
          text={t('share.keepNothingText')}
        />
      </fieldset>
      {change.isError && <Trouble fact={factOf(change.error)} />}
      <div className="flex justify-end gap-2">
        <Button autoFocus onClick={onCancel}>
          {t('share.cancel')}
        </Button>
        <Button type="submit" look="primary" disabled={change.isPending}>
          {t('share.handOver')}
        </Button>
      </div>
    </form>
  )
}

type KeepProps = { checked: boolean; onChange: () => void; name: string; text: string }

function Keep({ checked, onChange, name, text }: KeepProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2.5 rounded-md px-2 py-1.5 text-sm row-hover">
      <input
        type="radio"
        name="keep"
        checked={checked}
        onChange={onChange}
        className="mt-1 accent-(--brand)"
      />
      <span>
        <span className="block">{name}</span>
        <span className="block text-xs text-soft">{text}</span>
      </span>
    </label>
  )
}
