import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { SignInForm } from '../../../components/auth/sign-in-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('auth')
  return { title: t('signIn') }
}

type Props = { searchParams: Promise<{ next?: string | string[]; error?: string | string[] }> }

export default async function LoginPage({ searchParams }: Props) {
  const { next, error } = await searchParams
  return (
    <SignInForm
      next={typeof next === 'string' ? next : '/'}
      refused={typeof error === 'string' ? error : null}
    />
  )
}
