import { Bot } from 'lucide-react'
import { visible } from '../../lib/visible.ts'
import type { UserKind } from '../../protocol/access.ts'
import { cn } from './cn.ts'

const colours = ['blue', 'cyan', 'green', 'yellow', 'orange', 'red', 'purple'] as const

/** The same colour for the same person on every screen. */
function colourOf(userId: string): (typeof colours)[number] {
  let sum = 0
  for (const character of userId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973
  return colours[sum % colours.length] ?? 'blue'
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const firstLetter = (word: string): string => [...letters.segment(word)][0]?.segment.toUpperCase() ?? ''

/** One letter, or two: of the first and the last name. */
export function initialsOf(name: string): string {
  const words = visible(name).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const [first = ''] = words
  const last = words.length > 1 ? (words.at(-1) ?? '') : ''
  return firstLetter(first) + firstLetter(last)
}

const sizes = { small: 'size-5 text-[9px]', middle: 'size-6 text-[10px]', large: 'size-8 text-xs' }

type AvatarProps = {
  userId: string
  name: string
  kind?: UserKind
  size?: keyof typeof sizes
  className?: string
}

/** A person as letters on a colour of their own, an account of scripts as a square; the name stands beside it. */
export function Avatar({ userId, name, kind = 'person', size = 'middle', className }: AvatarProps) {
  const colour = `var(--label-${colourOf(userId)})`
  return (
    <span
      aria-hidden
      className={cn(
        'inline-flex shrink-0 items-center justify-center border font-semibold text-foreground select-none',
        kind === 'service' ? 'rounded-md' : 'rounded-full',
        sizes[size],
        className,
      )}
      style={{
        backgroundColor: `color-mix(in srgb, ${colour} 22%, var(--bg))`,
        borderColor: `color-mix(in srgb, ${colour} 45%, var(--bg))`,
      }}
    >
      {kind === 'service' ? <Bot className="size-[62%]" /> : initialsOf(name) || '?'}
    </span>
  )
}
