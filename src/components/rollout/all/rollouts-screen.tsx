'use client'
import { Search, X } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { isLeaving } from '../../../client/address-bar.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Bar } from '../../shell/bar.tsx'
import { IconButton } from '../../ui/button.tsx'
import { ListActions } from '../slots.tsx'
import { FoundEverywhere } from './found.tsx'
import { RolloutTable } from './rollout-table.tsx'

/** All rollouts that one may read, and find in all of them. What is looked for stands in the address. */
export function RolloutsScreen() {
  const t = useTranslations('rollouts')
  const params = useSearchParams()
  const router = useRouter()
  const path = usePathname()
  const asked = params.get('find') ?? ''
  const [typed, setTyped] = useState(asked)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => {
      if (isLeaving()) return
      const next = new URLSearchParams(params)
      if (typed === '') next.delete('find')
      else next.set('find', typed)
      const text = next.toString()
      router.replace(text === '' ? path : `${path}?${text}`, { scroll: false })
    }, 250)
    return () => clearTimeout(timer)
  }, [typed, asked, params, path, router])

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const field =
        event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      const slash = event.key === '/' && !field
      const findKey = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f'
      if (!slash && !findKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  return (
    <>
      <Bar>
        <h1 className="flex-1 text-sm font-semibold">{t('title')}</h1>
        <ListActions />
      </Bar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-6xl px-3 py-4 md:px-6">
          <search className="relative block">
            <Search aria-hidden className="absolute top-2.5 left-3 size-4 text-faint" />
            <input
              ref={input}
              type="search"
              value={typed}
              maxLength={1_000}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setTyped('')
              }}
              aria-label={t('find')}
              placeholder={t('findPlaceholder')}
              className="h-9 w-full rounded-md border border-line-strong bg-background pr-9 pl-9 text-sm placeholder:text-faint focus:border-brand focus:outline-none [&::-webkit-search-cancel-button]:hidden"
            />
            {typed !== '' && (
              <IconButton label={t('clear')} className="absolute top-1 right-1" onClick={() => setTyped('')}>
                <X aria-hidden />
              </IconButton>
            )}
          </search>
          {asked.trim() === '' ? <RolloutTable /> : <FoundEverywhere text={asked} />}
        </div>
      </div>
    </>
  )
}
