'use client'
import { useState } from 'react'
import { factOf, leaveTo } from '../../../client/api.ts'
import { useLeaveTeam } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Trouble } from '../../ui/states.tsx'
import { Section } from '../settings-frame.tsx'

export function LeaveTeam() {
  const t = useTranslations('people.leave')
  const leave = useLeaveTeam()
  const [asked, setAsked] = useState(false)
  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={
        <Button look="danger" disabled={leave.isPending} onClick={() => setAsked(true)}>
          {t('action')}
        </Button>
      }
    >
      {leave.isError && <Trouble fact={factOf(leave.error)} />}
      {asked && (
        <Confirm
          open
          onOpenChange={setAsked}
          title={t('confirmTitle')}
          description={t('confirmText')}
          action={t('confirm')}
          onConfirm={() => leave.mutate(undefined, { onSuccess: () => leaveTo('/login') })}
        />
      )}
    </Section>
  )
}
