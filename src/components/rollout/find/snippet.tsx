import type { SearchHit } from '../../../protocol/history.ts'
import { Shown } from '../../ui/shown.tsx'

/** The words around a hit with the hit marked; cut by ranges, never by markup. */
export function Snippet({ hit }: { hit: Pick<SearchHit, 'snippet' | 'matches'> }) {
  const { snippet, matches } = hit
  const parts: { text: string; found: boolean; at: number }[] = []
  let at = 0
  for (const { from, to } of matches) {
    if (from > at) parts.push({ text: snippet.slice(at, from), found: false, at })
    parts.push({ text: snippet.slice(from, to), found: true, at: from })
    at = to
  }
  if (at < snippet.length) parts.push({ text: snippet.slice(at), found: false, at })
  return (
    <span className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
      {parts.map((part) =>
        part.found ? (
          <mark key={part.at} className="rounded-xs bg-(--found) text-foreground">
            <Shown text={part.text} />
          </mark>
        ) : (
          <Shown key={part.at} text={part.text} />
        ),
      )}
    </span>
  )
}
