'use client'
import { type CSSProperties, memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Screen, type ScreenLine, type Span, splitLinks } from '../../client/screen.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { ScrollBox } from '../ui/scroll-box.tsx'

const firstLines = 200
const allLines = 5_000
/** Of one line; nobody reads further, and a browser breaks megabytes into lines for seconds. */
const mostLineChars = 20_000

type TerminalProps = {
  /** Everything the command printed, as far as it is here; grows while it runs. */
  text: string
  running: boolean
  tty: boolean
  /** A lower window, for a command that opened by itself. */
  low?: boolean
}

/** A terminal's screen: colours and cursor by xterm's parser, drawn as text that can be read and copied. */
export function Terminal({ text, running, tty, low = false }: TerminalProps) {
  const t = useTranslations('terminal')
  const screen = useRef<Screen>(null)
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [limit, setLimit] = useState(firstLines)
  const [shown, setShown] = useState<{ total: number; lines: ScreenLine[] }>({ total: 0, lines: [] })

  useEffect(() => {
    screen.current = new Screen(tty ? 120 : 400)
    return () => {
      screen.current?.dispose()
      screen.current = null
    }
  }, [tty])

  useEffect(() => {
    let stale = false
    const current = screen.current
    void current?.show(text).then(() => {
      if (!stale && screen.current === current) setShown(current.lines(limit))
    })
    return () => {
      stale = true
    }
  }, [text, limit])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are the reason to scroll.
  useLayoutEffect(() => {
    const element = box.current
    if (element && atEnd.current) element.scrollTop = element.scrollHeight
  }, [shown])

  const hidden = shown.total - shown.lines.length
  return (
    <div className="overflow-hidden rounded-md border border-line bg-(--term-bg) text-(--term-fg)">
      {hidden > 0 && limit < allLines && (
        <div className="border-b border-line px-2">
          <Button look="quiet" small className="-ml-2" onClick={() => setLimit(allLines)}>
            {t('showAll', { count: hidden })}
          </Button>
        </div>
      )}
      <ScrollBox
        ref={box}
        label={t('label')}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          atEnd.current = scrollHeight - scrollTop - clientHeight < 8
        }}
        className={cn(
          'overflow-auto px-3 py-2 font-mono text-[12.5px] leading-[18px]',
          low ? 'max-h-44' : 'max-h-96',
        )}
      >
        {shown.lines.length === 0 ? (
          <p className="text-faint">{running ? t('nothingYet') : t('nothing')}</p>
        ) : (
          shown.lines.map((line) => <Line key={line.key} line={cutLine(line)} />)
        )}
      </ScrollBox>
    </div>
  )
}

function cutLine(line: ScreenLine): ScreenLine {
  let left = mostLineChars
  if (line.spans.reduce((sum, { text }) => sum + text.length, 0) <= left) return line
  const spans: Span[] = []
  for (const span of line.spans) {
    if (left <= 0) break
    spans.push({ ...span, text: span.text.slice(0, left) })
    left -= span.text.length
  }
  return { key: line.key, spans: [...spans, { text: '…' }] }
}

const styleOf = (span: Span): CSSProperties => ({
  ...(span.fg ? { color: span.fg } : {}),
  ...(span.bg ? { backgroundColor: span.bg } : {}),
})

const Line = memo(
  function Line({ line }: { line: ScreenLine }) {
    return (
      <div className="min-h-[18px] whitespace-pre-wrap wrap-anywhere">
        {line.spans.map((span, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place.
            key={index}
            style={styleOf(span)}
            className={cn(
              span.bold && 'font-semibold',
              span.dim && 'opacity-70',
              span.italic && 'italic',
              span.underline && 'underline',
              span.strike && 'line-through',
            )}
          >
            {splitLinks(span.text).map((part) =>
              part.href === undefined ? (
                visible(part.text)
              ) : (
                <a
                  key={part.href}
                  href={part.href}
                  target="_blank"
                  rel="noopener noreferrer nofollow"
                  className="underline underline-offset-2"
                >
                  {visible(part.text)}
                </a>
              ),
            )}
          </span>
        ))}
      </div>
    )
  },
  (before, after) => JSON.stringify(before.line.spans) === JSON.stringify(after.line.spans),
)
