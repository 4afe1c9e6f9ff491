import Link from 'next/link'
import { getTranslations } from 'next-intl/server'
import { Card } from '../components/auth/card.tsx'

export default async function NotFound() {
  const t = await getTranslations('frame')
  return (
    <main className="flex h-dvh overflow-y-auto bg-side p-4">
      <Card title={t('lost')} text={t('lostText')}>
        <Link href="/" className="text-brand underline underline-offset-2">
          {t('home')}
        </Link>
      </Card>
    </main>
  )
}
