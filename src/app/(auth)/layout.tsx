import type { ReactNode } from 'react'

export default function AuthLayout({ children }: { children: ReactNode }) {
  return <main className="flex h-dvh flex-col overflow-y-auto px-4 pt-[14vh] pb-10">{children}</main>
}
