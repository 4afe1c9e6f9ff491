import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { SignIn } from '../../components/access/sign-in.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn')
  return { title: t('title') }
}

export default function LoginPage() {
  return <SignIn />
}
