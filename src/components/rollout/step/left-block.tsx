'use client'
import { useRolloutStore } from '../../../client/use-rollout.ts'
import { groupOf } from '../../../client/windows.ts'
import { formatCount } from '../../../lib/format.ts'
import type { RequestBlock } from '../../../protocol/rollout.ts'
import { tints } from '../../thread/window/heaps.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useBlockName } from './block-entry.tsx'

/** A block that stayed behind; leads to the item that it told. */
export function LeftBlock({ block }: { block: RequestBlock }) {
  const store = useRolloutStore()
  const name = useBlockName(block.kind)
  const { itemId } = block
  const inner = (
    <>
      <span
        aria-hidden
        className="size-2.5 shrink-0 rounded-xs"
        style={{ background: tints[groupOf(block)] }}
      />
      <span className="w-22 shrink-0 truncate font-medium">{name}</span>
      <span className="min-w-0 flex-1 truncate text-soft">
        <Shown text={block.preview} />
      </span>
      <span className="shrink-0 text-xs text-faint tabular">{formatCount(block.tokens)}</span>
    </>
  )
  const lineClass = 'flex h-8 w-full min-w-0 items-center gap-2 px-4 text-left text-[13px]'
  return (
    <li className="border-b border-line/60">
      {itemId === null ? (
        <div className={lineClass}>{inner}</div>
      ) : (
        <button
          type="button"
          onClick={() => void store.go({ itemId }, { push: true, tab: 'did' })}
          className={`${lineClass} row-hover focus-visible:-outline-offset-2`}
        >
          {inner}
        </button>
      )}
    </li>
  )
}
