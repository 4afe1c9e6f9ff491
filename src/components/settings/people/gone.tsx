'use client'
import { useState } from 'react'
import { factOf, type Outputs } from '../../../client/api.ts'
import { useChangeMember } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { TeamMember } from '../../../protocol/access.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Trouble } from '../../ui/states.tsx'
import { say } from '../../ui/toast.tsx'
import { Section } from '../settings-frame.tsx'

type GoneMember = Outputs['member']['list']['gone'][number]
type GoneProps = { gone: GoneMember[]; members: TeamMember[] }

/** Threads whose owner left or is disabled: nobody decides about them until somebody takes them over. */
export function Gone({ gone, members }: GoneProps) {
  const t = useTranslations('people.members')
  const [of, setOf] = useState<GoneMember | null>(null)
  if (gone.length === 0) return null
  return (
    <Section title={t('gone')} text={t('goneText')}>
      <ul aria-label={t('gone')} className="divide-y divide-line rounded-lg border border-line">
        {gone.map((one) => (
          <li key={one.userId} className="flex min-h-11 items-center gap-3 px-3 py-1.5">
            <Avatar userId={one.userId} name={one.name} className="opacity-50" />
            <span className="min-w-0 flex-1 truncate">
              <Shown text={one.name} />
            </span>
            <span className="text-xs text-soft tabular">{t('goneThreads', { count: one.threads })}</span>
            <Button small onClick={() => setOf(one)}>
              {t('handOver')}
            </Button>
          </li>
        ))}
      </ul>
      {of !== null && (
        <HandOverThreads
          of={of}
          to={members.filter(({ disabled, role }) => !disabled && role !== 'viewer')}
          onDone={() => setOf(null)}
        />
      )}
    </Section>
  )
}

function HandOverThreads({ of, to, onDone }: { of: GoneMember; to: TeamMember[]; onDone: () => void }) {
  const t = useTranslations('people.members')
  const invites = useTranslations('people.invites')
  const change = useChangeMember()
  const [toUserId, setTo] = useState(to[0]?.userId ?? '')
  const { name } = of
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDone()}
      title={t('handOverTitle', { name })}
      description={t('handOverText', { count: of.threads })}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            { type: 'handOver', fromUserId: of.userId, toUserId },
            {
              onSuccess: () => {
                say(t('handedOver', { name }))
                onDone()
              },
            },
          )
        }}
      >
        <SelectField label={t('handOverTo')} value={toUserId} onChange={(event) => setTo(event.target.value)}>
          {to.map((member) => (
            <option key={member.userId} value={member.userId}>
              {visible(member.name)}
            </option>
          ))}
        </SelectField>
        {change.isError && <Trouble fact={factOf(change.error)} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onDone}>{invites('cancel')}</Button>
          <Button type="submit" look="primary" disabled={change.isPending || toUserId === ''}>
            {t('handOverAction')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
