import type { ReactNode } from 'react'

type CardProps = { title: string; text: string; children?: ReactNode }

/** The one thing on a page that comes before the frame. */
export function Card({ title, text, children }: CardProps) {
  return (
    <div className="mx-auto w-full max-w-sm">
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 mb-5 text-soft">{text}</p>
      {children}
    </div>
  )
}
