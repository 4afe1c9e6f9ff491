import { ThreadScreen } from '../../../../components/thread/thread-screen.tsx'

type Props = { params: Promise<{ threadId: string }> }

export default async function ThreadPage({ params }: Props) {
  const { threadId } = await params
  return <ThreadScreen key={threadId} threadId={threadId} />
}
