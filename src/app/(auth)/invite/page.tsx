import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { InviteScreen } from '../../../components/auth/invite-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('people.join')
  return { title: t('join'), robots: { index: false } }
}

type Props = { searchParams: Promise<{ token?: string | string[] }> }

export default async function InvitePage({ searchParams }: Props) {
  const { token } = await searchParams
  return <InviteScreen token={typeof token === 'string' ? token : ''} />
}
