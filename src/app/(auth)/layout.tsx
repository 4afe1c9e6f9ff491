import type { ReactNode } from 'react'

export default function AuthLayout({ children }: { children: ReactNode }) {
  return <main className="flex h-dvh overflow-y-auto bg-side p-4">{children}</main>
}
