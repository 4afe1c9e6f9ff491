import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { SetUpForm } from '../../../components/auth/set-up-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('auth')
  return { title: t('setUp') }
}

type Props = { searchParams: Promise<{ token?: string | string[] }> }

export default async function SetUpPage({ searchParams }: Props) {
  const { token } = await searchParams
  return <SetUpForm token={typeof token === 'string' ? token : null} />
}
