import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { RolloutScreen } from '../../../../../components/rollout/rollout-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('rollout')
  return { title: t('title') }
}

type Props = { params: Promise<{ threadId: string }> }

export default async function RolloutPage({ params }: Props) {
  const { threadId } = await params
  return <RolloutScreen key={threadId} threadId={threadId} />
}
