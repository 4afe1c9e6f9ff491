import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { RolloutsScreen } from '../../../components/rollout/all/rollouts-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('rollouts')
  return { title: t('title') }
}

export default function RolloutsPage() {
  return <RolloutsScreen />
}
