import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { AuditPage } from '../../../../../components/settings/people/audit-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('people.audit')
  return { title: t('title') }
}

export default function Page() {
  return <AuditPage />
}
