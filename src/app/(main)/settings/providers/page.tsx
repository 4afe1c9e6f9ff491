import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ProvidersPage } from '../../../../components/settings/providers-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings')
  return { title: t('pages.providers') }
}

export default function Page() {
  return <ProvidersPage />
}
