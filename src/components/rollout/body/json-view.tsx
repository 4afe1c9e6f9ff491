'use client'
import { type ReactNode, useState } from 'react'
import { type Json, maxStringChars } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { frameClass } from './text-view.tsx'

/** Entries of a list or an object that are drawn at once. */
const pageEntries = 100
/** Nodes that open by themselves: the first levels, while they are small. */
const openDepth = 2
const openEntries = 24

/** JSON as a tree. Only what is open is in the document. */
export function JsonView({ value, open = true }: { value: Json; open?: boolean }) {
  return (
    <div className={cn(frameClass, 'overflow-x-auto')}>
      <Node value={value} depth={0} openAtFirst={open} />
    </div>
  )
}

type NodeProps = { name?: string; value: Json; depth: number; openAtFirst?: boolean }

function Node({ name, value, depth, openAtFirst }: NodeProps) {
  if (value !== null && typeof value === 'object')
    return (
      <Branch
        {...(name === undefined ? {} : { name })}
        value={value}
        depth={depth}
        openAtFirst={openAtFirst ?? false}
      />
    )
  return (
    <div className="flex min-w-0 gap-1.5 pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null
  return (
    <span className="shrink-0 text-(--ansi-4)">
      <Shown text={name.length > 200 ? `${name.slice(0, 200)}…` : name} />:
    </span>
  )
}

function Branch({
  name,
  value,
  depth,
  openAtFirst,
}: {
  name?: string
  value: Json[] | { [key: string]: Json }
  depth: number
  openAtFirst: boolean
}) {
  const t = useTranslations('rollout.body')
  const list = Array.isArray(value)
  const count = list ? value.length : Object.keys(value).length
  const [open, setOpen] = useState(openAtFirst || (depth > 0 && depth < openDepth && count <= openEntries))
  const [shown, setShown] = useState(pageEntries)
  const summary = (
    <span className="text-faint">
      {list ? `[${count}]` : `{${count}}`}
      {!open && <Peek value={value} />}
    </span>
  )
  if (count === 0)
    return (
      <div className="flex gap-1.5 pl-4">
        <Name name={name} />
        <span className="text-faint">{list ? '[]' : '{}'}</span>
      </div>
    )
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full min-w-0 items-center gap-1.5 rounded text-left hover:bg-hover focus-visible:-outline-offset-2"
      >
        <Chevron open={open} className="-mr-0.5 size-3" />
        <Name name={name} />
        <span className="min-w-0 truncate">{summary}</span>
      </button>
      {open && (
        <div className="ml-1.5 border-l border-line pl-2">
          {entriesOf(value, shown).map(([key, entry]) => (
            <Node key={key} name={key} value={entry} depth={depth + 1} />
          ))}
          {count > shown && (
            <Button small look="quiet" onClick={() => setShown(shown + pageEntries * 5)}>
              {t('moreEntries', { count: count - shown })}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function entriesOf(value: Json[] | { [key: string]: Json }, shown: number): [string, Json][] {
  if (Array.isArray(value)) return value.slice(0, shown).map((entry, at) => [String(at), entry])
  return Object.entries(value).slice(0, shown)
}

/** The first words of what a closed branch holds. */
function Peek({ value }: { value: Json[] | { [key: string]: Json } }): ReactNode {
  const pieces = entriesOf(value, 4).flatMap(([key, entry]) => {
    if (entry === null || typeof entry === 'object') return []
    const text = String(entry).slice(0, 40).replace(/\s+/g, ' ')
    return [Array.isArray(value) ? text : `${key.slice(0, 40)}: ${text}`]
  })
  return pieces.length === 0 ? null : (
    <span className="pl-1.5">
      <Shown text={pieces.join(', ')} />
    </span>
  )
}

function Leaf({ value }: { value: null | boolean | number | string }) {
  const t = useTranslations('rollout.body')
  const [all, setAll] = useState(false)
  if (typeof value !== 'string')
    return <span className={value === null ? 'text-faint' : 'text-(--ansi-5)'}>{String(value)}</span>
  const cut = value.length > maxStringChars && !all
  const most = 500_000
  return (
    <span className="min-w-0 whitespace-pre-wrap text-(--ansi-2) wrap-anywhere">
      <Shown text={cut ? value.slice(0, maxStringChars) : value.slice(0, most)} />
      {(cut || value.length > most) && '…'}
      {cut && (
        <Button small look="quiet" className="h-5" onClick={() => setAll(true)}>
          {t('wholeString', { chars: formatCount(value.length) })}
        </Button>
      )}
    </span>
  )
}
