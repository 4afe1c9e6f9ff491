import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ReviewsScreen } from '../../../components/rollout/review/reviews-screen.tsx'
import { reviewHeaps } from '../../../protocol/review.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('review.queue')
  return { title: t('title') }
}

type Props = { searchParams: Promise<{ show?: string | string[] }> }

export default async function ReviewsPage({ searchParams }: Props) {
  const { show } = await searchParams
  return <ReviewsScreen heap={reviewHeaps.find((heap) => heap === show) ?? 'to_review'} />
}
