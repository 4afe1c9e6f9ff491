/** Keys as people see them on their keyboard: `mod` is ⌘ on a Mac and Ctrl elsewhere. */
const isMac = (): boolean => typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.userAgent)

const named: Record<string, string> = { enter: '⏎', shift: '⇧', esc: 'Esc', up: '↑', down: '↓', alt: 'Alt' }

export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex items-center gap-0.5" suppressHydrationWarning>
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded border border-line bg-subtle px-1 font-sans text-2xs text-soft"
          suppressHydrationWarning
        >
          {key === 'mod' ? (isMac() ? '⌘' : 'Ctrl') : (named[key] ?? key.toUpperCase())}
        </kbd>
      ))}
    </span>
  )
}
