'use client'
import { Card } from '../components/auth/card.tsx'
import { Button } from '../components/ui/button.tsx'
import { useTranslations } from '../i18n/translations.ts'

/** What is shown in place of a page whose components threw. */
export default function Broken() {
  const t = useTranslations('frame')
  return (
    <main className="flex h-dvh overflow-y-auto bg-side p-4">
      <Card title={t('broken')} text={t('brokenText')}>
        <Button look="primary" onClick={() => window.location.reload()}>
          {t('reload')}
        </Button>
      </Card>
    </main>
  )
}
