import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { NewThread } from '../../../components/thread/new-thread.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('newThread')
  return { title: t('title') }
}

type Props = { searchParams: Promise<{ project?: string | string[]; from?: string | string[] }> }

export default async function NewThreadPage({ searchParams }: Props) {
  const { project, from } = await searchParams
  return (
    <NewThread
      projectId={typeof project === 'string' ? project : null}
      fromThreadId={typeof from === 'string' ? from : null}
    />
  )
}
