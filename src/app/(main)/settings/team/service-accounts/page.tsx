import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ServicesPage } from '../../../../../components/settings/people/services-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('people.services')
  return { title: t('title') }
}

export default function Page() {
  return <ServicesPage />
}
