import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { MembersPage } from '../../../../components/settings/people/members-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings')
  return { title: t('pages.team') }
}

export default function Page() {
  return <MembersPage />
}
