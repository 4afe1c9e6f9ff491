'use client'
import { factOf } from '../../client/api.ts'
import { useLinks, type Whose } from '../../client/links.ts'
import { useIsKeeper } from '../../client/people.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Section } from '../settings/settings-frame.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { LinkRow } from './link-row.tsx'

/** Public links of one's own and, for who keeps the team, of everybody. */
export function LinksPage() {
  const t = useTranslations('links.page')
  const keeper = useIsKeeper()
  return (
    <>
      <Section title={t('mine')} text={t('mineText')}>
        <Links whose="mine" none={t('noneMine')} />
      </Section>
      {keeper && (
        <Section title={t('all')} text={t('allText')}>
          <Links whose="all" none={t('noneAll')} />
        </Section>
      )}
    </>
  )
}

function Links({ whose, none }: { whose: Whose; none: string }) {
  const t = useTranslations('links')
  const links = useLinks(whose)
  const rows = links.data?.pages.flatMap((page) => page.links)
  if (links.isError && rows === undefined)
    return (
      <Trouble title={t('section.notRead')} fact={factOf(links.error)}>
        <Button small onClick={() => void links.refetch()}>
          {t('section.retry')}
        </Button>
      </Trouble>
    )
  if (rows === undefined) return <Skeleton className="h-24" />
  if (rows.length === 0)
    return (
      <p className="rounded-lg border border-dashed border-line-strong px-3 py-4 text-center text-sm text-soft">
        {none}
      </p>
    )
  return (
    <>
      <ul
        aria-label={t(whose === 'mine' ? 'page.mine' : 'page.all')}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {rows.map((link) => (
          <LinkRow
            key={link.id}
            link={link}
            as={whose === 'mine' ? 'maker' : 'keeper'}
            openingsOf={whose === 'mine' ? link.threadId : null}
            away
          />
        ))}
      </ul>
      {links.hasNextPage && (
        <div className="pt-3 text-center">
          <Button disabled={links.isFetchingNextPage} onClick={() => void links.fetchNextPage()}>
            {t('page.more')}
          </Button>
        </div>
      )}
    </>
  )
}
