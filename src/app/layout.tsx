import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import { NextIntlClientProvider } from 'next-intl'
import { getLocale, getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { Providers } from '../components/shell/providers.tsx'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('app')
  return { title: { default: t('name'), template: `%s · ${t('name')}` }, description: t('description') }
}

export const viewport: Viewport = { width: 'device-width', initialScale: 1, viewportFit: 'cover' }

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Asking for headers makes every page dynamic, which its nonce needs.
  await headers()
  const theme = (await cookies()).get('baton-theme')?.value
  const chosen = theme === 'light' || theme === 'dark' ? theme : undefined
  return (
    <html lang={await getLocale()} data-theme={chosen} suppressHydrationWarning>
      <body>
        <NextIntlClientProvider>
          <Providers>{children}</Providers>
        </NextIntlClientProvider>
      </body>
    </html>
  )
}
