import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { LinksPage } from '../../../../components/links/links-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('links.page')
  return { title: t('title') }
}

export default function Page() {
  return <LinksPage />
}
