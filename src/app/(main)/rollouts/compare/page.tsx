import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { CompareScreen } from '../../../../components/rollout/compare/compare-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('compare')
  return { title: t('title') }
}

type Param = string | string[] | undefined
type Props = { searchParams: Promise<{ a?: Param; b?: Param }> }

const one = (param: Param): string => (typeof param === 'string' ? param : '')

export default async function ComparePage({ searchParams }: Props) {
  const { a, b } = await searchParams
  return <CompareScreen key={`${one(a)} ${one(b)}`} a={one(a)} b={one(b)} />
}
