import type { ReactNode } from 'react'
import { hasRightToLeft, visiblePieces } from '../../lib/visible.ts'

/**
 * A name, path, command or other text that nobody here wrote: what cannot be seen in it stands as a small mark, and its
 * direction reaches no further than itself.
 */
export function Shown({ text }: { text: string }): ReactNode {
  const pieces = visiblePieces(text)
  const [first] = pieces
  const content =
    pieces.length === 1 && first?.mark === false
      ? text
      : pieces.map((piece, at) =>
          piece.mark ? (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place.
              key={at}
              data-unseen
              className="mx-px rounded-xs border border-line-strong bg-wait-soft px-0.5 align-baseline font-mono text-[0.8em] text-wait whitespace-nowrap"
            >
              {piece.text}
            </span>
          ) : (
            piece.text
          ),
        )
  return hasRightToLeft(text) ? <bdi>{content}</bdi> : content
}
