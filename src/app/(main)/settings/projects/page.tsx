import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ProjectsPage } from '../../../../components/settings/projects-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings')
  return { title: t('pages.projects') }
}

export default function Page() {
  return <ProjectsPage />
}
