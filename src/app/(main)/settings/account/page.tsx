import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { AccountPage } from '../../../../components/settings/account-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings')
  return { title: t('pages.account') }
}

export default function Page() {
  return <AccountPage />
}
