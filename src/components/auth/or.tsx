/** Between two ways in. */
export function Or({ word }: { word: string }) {
  return (
    <p className="flex items-center gap-3 py-1 text-xs text-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {word}
    </p>
  )
}
