'use client'
import { Eye, MessageSquareText } from 'lucide-react'
import Link from 'next/link'
import { useTeamRole } from '../../../client/people.ts'
import { useSharing } from '../../../client/thread-people.ts'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { ThreadRole } from '../../../protocol/access.ts'

/** In place of the composer: why nothing can be sent, and who can change that. */
export function ReadsAlong({ role }: { role: ThreadRole }) {
  const t = useTranslations('people')
  const threadId = useThread((state) => state.threadId)
  const isTeamViewer = useTeamRole() === 'viewer'
  const owner = useSharing()?.people.find((person) => person.role === 'owner')
  const comments = role === 'commenter'
  return (
    <section
      aria-label={t('readsAlong.label')}
      className="flex items-start gap-3 rounded-xl border border-line bg-subtle px-4 py-3 text-sm"
    >
      {comments ? (
        <MessageSquareText aria-hidden className="mt-0.75 size-4 shrink-0 text-soft" />
      ) : (
        <Eye aria-hidden className="mt-0.75 size-4 shrink-0 text-soft" />
      )}
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {t(comments ? 'threadRoles.yours.commenter' : 'threadRoles.yours.viewer')}
        </p>
        <p className="text-soft">
          {isTeamViewer
            ? t('readsAlong.teamViewer')
            : owner === undefined
              ? t('readsAlong.askOwner')
              : t('readsAlong.ask', { name: visible(owner.name) })}
        </p>
      </div>
      {comments && (
        <Link
          href={`/threads/${threadId}/rollout`}
          className="inline-flex h-7 shrink-0 items-center rounded-md border border-line bg-raised px-2 text-xs font-medium row-hover"
        >
          {t('readsAlong.comment')}
        </Link>
      )}
    </section>
  )
}
