import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { AuditRow } from '../../../protocol/access.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'

/** Ids of what has no name, and what the rest of the line says already; the log itself keeps them. */
const unsaid = new Set(['sessionId', 'inviteId', 'labelId', 'expiresInMs'])

/** A detail as one says it; people by their names. */
const worded = (value: unknown, nameOf: (userId: string) => string): string => {
  if (value === null) return '–'
  if (Array.isArray(value)) return value.map((one) => worded(one, nameOf)).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  return text.startsWith('usr_') ? nameOf(text) : text
}

type AuditLineProps = { row: AuditRow; nameOf: (userId: string) => string }

/** "Ada shared a thread", what it was done to, and when; what is not worded yet is shown as it is called. */
export function AuditLine({ row, nameOf }: AuditLineProps) {
  const t = useTranslations('people.audit')
  const { actorId, actorName, action, targetType, targetId, details, via, at } = row
  const name = actorName ?? t('server')
  const words = (key: string, otherwise: string): string =>
    t.has(key as 'title') ? t(key as 'title') : otherwise
  const did = words(`actions.${action.replaceAll('.', '_')}`, action)
  const target =
    targetId === actorId
      ? ''
      : targetId.startsWith('usr_')
        ? nameOf(targetId)
        : t('target', { type: words(`targets.${targetType}`, targetType), id: `…${targetId.slice(-8)}` })
  const facts = Object.entries(details)
    .filter(([key, value]) => !unsaid.has(key) && value !== actorId && value !== targetId)
    .map(([key, value]) => `${words(`detailNames.${key}`, key)} ${worded(value, nameOf)}`)
  return (
    <li className="flex items-start gap-3 px-3 py-2">
      <Avatar userId={actorId} name={name} size="small" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <span className="font-medium">
            <Shown text={name} />
          </span>{' '}
          {did} <span className="text-soft">{visible(target)}</span>
        </p>
        {(facts.length > 0 || via?.type === 'token') && (
          <p className="text-xs text-faint wrap-anywhere">
            {visible([...facts, ...(via?.type === 'token' ? [t('byToken')] : [])].join(' · '))}
          </p>
        )}
      </div>
      <At at={at} className="shrink-0 text-xs text-soft tabular" />
    </li>
  )
}
