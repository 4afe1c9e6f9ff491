import { commentPieces } from '../../../client/reviews.ts'
import { Shown } from '../../ui/shown.tsx'

/** What a person wrote: text as text, `code` as code, nothing as markup. */
export function CommentWords({ text }: { text: string }) {
  return (
    <p className="max-w-[72ch] text-sm whitespace-pre-wrap wrap-anywhere">
      {commentPieces(text).map((piece, at) =>
        piece.code ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text stand in one order.
          <code key={at} className="rounded bg-subtle px-1 text-code">
            <Shown text={piece.text} />
          </code>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Shown key={at} text={piece.text} />
        ),
      )}
    </p>
  )
}
