'use client'
import { ChevronDown, ChevronUp, List, Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useTranslations } from '../../../i18n/translations.ts'
import type { SearchHit } from '../../../protocol/history.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { At } from '../../ui/time.tsx'
import { Snippet } from './snippet.tsx'
import { useFindStore } from './use-find.ts'

/** Find: the words, how many places have them, to the next and the one before, and all of them as a list. */
export function FindBar({ onHit }: { onHit: (hit: SearchHit) => void }) {
  const t = useTranslations('rollout.find')
  const find = useFindStore()
  const open = useStore(find, (state) => state.open)
  const query = useStore(find, (state) => state.query)
  const mode = useStore(find, (state) => state.mode)
  const status = useStore(find, (state) => state.status)
  const error = useStore(find, (state) => state.error)
  const at = useStore(find, (state) => state.at)
  const count = useStore(find, (state) => state.count)
  const more = useStore(find, (state) => state.more)
  const hits = useStore(find, (state) => state.hits)
  const wished = useStore(find, (state) => state.wished)
  const [listed, setListed] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (open && wished > 0) {
      input.current?.focus()
      input.current?.select()
    }
  }, [open, wished])
  if (!open) return null
  const step = async (by: 1 | -1): Promise<void> => {
    const hit = await find.step(by)
    if (hit !== null) onHit(hit)
  }
  return (
    <search className="shrink-0 border-b border-line bg-subtle/50">
      <div className="flex h-10 items-center gap-1 px-2">
        <Search aria-hidden className="ml-1 size-3.5 shrink-0 text-faint" />
        <input
          ref={input}
          type="search"
          value={query}
          maxLength={1_000}
          aria-label={t('label')}
          placeholder={t('placeholder')}
          onChange={(event) => find.ask(event.target.value, 'words')}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              void step(event.shiftKey ? -1 : 1)
            }
            if (event.key === 'Escape') {
              event.preventDefault()
              event.stopPropagation()
              find.hide()
            }
          }}
          className="h-7 min-w-0 flex-1 bg-transparent px-1 text-sm placeholder:text-faint focus:outline-none [&::-webkit-search-cancel-button]:hidden"
        />
        <span role="status" className="shrink-0 px-1 text-xs text-faint tabular">
          {status === 'failed'
            ? (error ?? '')
            : status === 'looking' && hits.length === 0
              ? t('looking')
              : query === '' || status === 'idle'
                ? ''
                : count === 0
                  ? t('none')
                  : at < 0
                    ? t('count', { count, more: more ? '+' : '' })
                    : t('at', { at: at + 1, count, more: more ? '+' : '' })}
        </span>
        <Button
          small
          look="quiet"
          className="h-6 px-1.5 font-normal"
          aria-pressed={mode === 'literal'}
          title={mode === 'literal' ? t('literalText') : t('wordsText')}
          onClick={() => find.ask(query, mode === 'literal' ? 'words' : 'literal')}
        >
          {mode === 'literal' ? t('literal') : t('words')}
        </Button>
        <IconButton label={t('previous')} keys="N" disabled={hits.length === 0} onClick={() => void step(-1)}>
          <ChevronUp aria-hidden />
        </IconButton>
        <IconButton label={t('next')} keys="n" disabled={hits.length === 0} onClick={() => void step(1)}>
          <ChevronDown aria-hidden />
        </IconButton>
        <IconButton
          label={t('list')}
          aria-pressed={listed}
          disabled={hits.length === 0}
          onClick={() => setListed(!listed)}
        >
          <List aria-hidden />
        </IconButton>
        <IconButton label={t('close')} onClick={() => find.hide()}>
          <X aria-hidden />
        </IconButton>
      </div>
      {listed && hits.length > 0 && (
        <ul
          className="max-h-56 overflow-y-auto border-t border-line bg-background py-1"
          aria-label={t('hits')}
        >
          {hits.map((hit, index) => (
            <li key={`${hit.seq}:${hit.itemId}`}>
              <button
                type="button"
                aria-current={index === at}
                onClick={() => {
                  find.stand(index)
                  onHit(hit)
                }}
                className={cn(
                  'flex w-full items-baseline gap-2 px-3 py-1 text-left text-xs row-hover focus-visible:-outline-offset-2',
                  index === at && 'bg-brand-soft',
                )}
              >
                <span className="w-18 shrink-0 truncate text-faint">{hit.tool ?? t(`role.${hit.role}`)}</span>
                <Snippet hit={hit} />
                <At at={hit.at} className="shrink-0 text-faint tabular" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}
