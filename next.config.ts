import type { NextConfig } from 'next'
import createNextIntlPlugin from 'next-intl/plugin'

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  devIndicators: false,
  // Types are checked by the project's own check; the build would check them a second time.
  typescript: { ignoreBuildErrors: true },
  // tRPC, sign-in and files are the custom server's; pages need no server code of ours.
  experimental: { optimizePackageImports: ['lucide-react', 'radix-ui'] },
}

export default createNextIntlPlugin('./src/i18n/request.ts')(config)
