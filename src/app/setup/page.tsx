import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { SetUp } from '../../components/access/set-up.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('setUp')
  return { title: t('title') }
}

type Props = { searchParams: Promise<{ token?: string | string[] }> }

export default async function SetUpPage({ searchParams }: Props) {
  const { token } = await searchParams
  return <SetUp token={typeof token === 'string' ? token : null} />
}
