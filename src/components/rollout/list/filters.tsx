'use client'
import { ListFilter, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import type { RolloutFilter, RolloutRowKind } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { useOverlays } from '../../ui/overlays.ts'
import { Shown } from '../../ui/shown.tsx'

/** What one mostly wants to see of the rows. */
const views: Record<'all' | 'steps' | 'outline', RolloutRowKind[] | undefined> = {
  all: undefined,
  steps: ['turn', 'window', 'step'],
  outline: ['turn', 'window', 'marker'],
}
const kinds: RolloutRowKind[] = ['turn', 'window', 'step', 'message', 'tool', 'marker', 'record']
const durations = [1_000, 5_000, 30_000, 120_000, 600_000]
const costs = [1_000, 10_000, 50_000, 250_000, 1_000_000]

const sameKinds = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()

/** A filter without one of its parts. */
function without(filter: RolloutFilter, name: keyof RolloutFilter): RolloutFilter {
  const { [name]: _, ...rest } = filter
  return rest
}

/** Which rows the list shows: the usual views, the filter, and what of it is set. */
export function Filters() {
  const t = useTranslations('rollout.filter')
  const store = useRolloutStore()
  const filter = useRollout((state) => state.address.filter)
  const set = (next: RolloutFilter): void => store.setFilter(next)
  const overlays = useOverlays()
  return (
    <div className="border-b border-line">
      <div className="flex h-9 items-center gap-1 px-2">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div
          role="group"
          aria-label={t('views')}
          className="flex items-center rounded-md border border-line p-px"
        >
          {(Object.keys(views) as (keyof typeof views)[]).map((view) => {
            const active = sameKinds(filter.kinds, views[view])
            return (
              <button
                key={view}
                type="button"
                aria-pressed={active}
                onClick={() => {
                  const rest = without(filter, 'kinds')
                  const wanted = views[view]
                  set(wanted === undefined ? rest : { ...rest, kinds: wanted })
                }}
                className={cn(
                  'h-6 rounded px-2 text-xs',
                  active ? 'bg-hover font-medium text-foreground' : 'text-soft hover:text-foreground',
                )}
              >
                {t(view)}
              </button>
            )
          })}
        </div>
        <span className="flex-1" />
        <Total />
        <Popover.Root>
          <Popover.Trigger asChild>
            <Button small look="quiet" className="px-1.5">
              <ListFilter aria-hidden className="size-4" />
              <span className="max-lg:sr-only">{t('filter')}</span>
            </Button>
          </Popover.Trigger>
          <Popover.Portal container={overlays}>
            <Popover.Content
              align="end"
              sideOffset={4}
              collisionPadding={8}
              aria-label={t('filter')}
              className="z-50 max-h-(--radix-popover-content-available-height) w-72 space-y-3 overflow-y-auto rounded-lg border border-line-strong bg-raised p-3 animate-appear focus:outline-none"
            >
              <Form filter={filter} set={set} />
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      </div>
      <Chips filter={filter} set={set} />
    </div>
  )
}

function Total() {
  const t = useTranslations('rollout.filter')
  const total = useRollout((state) => (state.version >= 0 ? state.pages.total : null))
  if (total === null) return null
  return <span className="px-1 text-2xs text-faint tabular">{t('rows', { count: total })}</span>
}

type FormProps = { filter: RolloutFilter; set: (filter: RolloutFilter) => void }

function Form({ filter, set }: FormProps) {
  const t = useTranslations('rollout.filter')
  const durationOf = useDuration()
  const kindOf = useTranslations('rollout.row.kinds')
  const skeleton = useRollout((state) => state.skeleton)
  const tools = Object.entries(skeleton?.counts.tools ?? {}).sort((a, b) => b[1] - a[1])
  const chosen = (name: 'kinds' | 'tools', value: string, on: boolean): void => {
    const values = new Set<string>(filter[name] ?? (name === 'kinds' ? kinds : []))
    if (on) values.add(value)
    else values.delete(value)
    const all = name === 'kinds' && values.size === kinds.length
    set(
      values.size === 0 || all
        ? without(filter, name)
        : ({ ...filter, [name]: [...values] } as RolloutFilter),
    )
  }
  return (
    <>
      <Box title={t('kinds')}>
        <div className="grid grid-cols-2 gap-x-2">
          {kinds.map((kind) => (
            <Check
              key={kind}
              checked={filter.kinds === undefined || filter.kinds.includes(kind)}
              onChange={(on) => chosen('kinds', kind, on)}
              count={skeleton?.counts.kinds[kind]}
            >
              {kindOf(kind)}
            </Check>
          ))}
        </div>
      </Box>
      {tools.length > 0 && (
        <Box title={t('tools')}>
          <div className="max-h-40 overflow-y-auto">
            {tools.slice(0, 50).map(([tool, count]) => (
              <Check
                key={tool}
                checked={filter.tools?.includes(tool) ?? false}
                onChange={(on) => chosen('tools', tool, on)}
                count={count}
              >
                <code className="truncate">
                  <Shown text={tool} />
                </code>
              </Check>
            ))}
          </div>
        </Box>
      )}
      <Check
        checked={filter.errors ?? false}
        onChange={(on) => set(on ? { ...filter, errors: true } : without(filter, 'errors'))}
      >
        {t('errors')}
      </Check>
      <div className="grid grid-cols-2 gap-2">
        <Least
          label={t('longer')}
          value={filter.minDurationMs}
          choices={durations}
          say={durationOf}
          onChange={(value) =>
            set(value === null ? without(filter, 'minDurationMs') : { ...filter, minDurationMs: value })
          }
        />
        <Least
          label={t('costlier')}
          value={filter.minCostMicros}
          choices={costs}
          say={(micros) => (micros < 10_000 ? '$0.001' : formatMoney(micros))}
          onChange={(value) =>
            set(value === null ? without(filter, 'minCostMicros') : { ...filter, minCostMicros: value })
          }
        />
      </div>
      {skeleton !== null && skeleton.windows.length > 1 && (
        <Select
          label={t('window')}
          value={filter.windowId ?? ''}
          onChange={(value) =>
            set(value === '' ? without(filter, 'windowId') : { ...filter, windowId: value })
          }
        >
          <option value="">{t('anyWindow')}</option>
          {skeleton.windows.map((window) => (
            <option key={window.windowId} value={window.windowId}>
              {t('windowNumber', { number: window.index + 1 })}
            </option>
          ))}
        </Select>
      )}
    </>
  )
}

function Box({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="pb-1 text-xs font-medium text-soft">{title}</legend>
      {children}
    </fieldset>
  )
}

type CheckProps = {
  checked: boolean
  onChange: (on: boolean) => void
  count?: number | undefined
  children: ReactNode
}

function Check({ checked, onChange, count, children }: CheckProps) {
  return (
    <label className="flex h-6.5 cursor-pointer items-center gap-2 rounded px-1 text-[13px] row-hover">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-(--brand)"
      />
      <span className="flex min-w-0 flex-1 truncate">{children}</span>
      {count !== undefined && <span className="text-2xs text-faint tabular">{formatCount(count)}</span>}
    </label>
  )
}

function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="block pb-0.5 text-xs font-medium text-soft">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cn(inputClass, 'h-7 py-0 text-xs')}
      >
        {children}
      </select>
    </div>
  )
}

function Least({
  label,
  value,
  choices,
  say,
  onChange,
}: {
  label: string
  value: number | undefined
  choices: readonly number[]
  say: (value: number) => string
  onChange: (value: number | null) => void
}) {
  const t = useTranslations('rollout.filter')
  // A link may name a value of its own.
  const all =
    value === undefined || choices.includes(value) ? choices : [...choices, value].sort((a, b) => a - b)
  return (
    <Select
      label={label}
      value={value === undefined ? '' : String(value)}
      onChange={(next) => onChange(next === '' ? null : Number(next))}
    >
      <option value="">{t('any')}</option>
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {say(choice)}
        </option>
      ))}
    </Select>
  )
}

/** What the filter hides is said, and each part can be taken away again. */
function Chips({ filter, set }: FormProps) {
  const t = useTranslations('rollout.filter')
  const durationOf = useDuration()
  const windows = useRollout((state) => state.skeleton?.windows)
  const named = Object.entries(views).some(([, view]) => sameKinds(view, filter.kinds))
  const chips: [keyof RolloutFilter, string][] = []
  if (!named) chips.push(['kinds', t('someKinds', { count: filter.kinds?.length ?? 0 })])
  if (filter.tools !== undefined) chips.push(['tools', filter.tools.join(', ')])
  if (filter.errors) chips.push(['errors', t('errors')])
  if (filter.minDurationMs !== undefined)
    chips.push(['minDurationMs', t('longerThan', { duration: durationOf(filter.minDurationMs) })])
  if (filter.minCostMicros !== undefined)
    chips.push(['minCostMicros', t('costlierThan', { cost: formatMoney(filter.minCostMicros) })])
  if (filter.windowId !== undefined) {
    const index = windows?.find(({ windowId }) => windowId === filter.windowId)?.index
    chips.push(['windowId', index === undefined ? t('oneWindow') : t('windowNumber', { number: index + 1 })])
  }
  if (filter.turnId !== undefined) chips.push(['turnId', t('oneTurn')])
  if (chips.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-1 px-2 pb-1.5" aria-label={t('set')}>
      {chips.map(([name, words]) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => set(without(filter, name))}
            aria-label={t('remove', { filter: words })}
            className="inline-flex h-5.5 max-w-60 items-center gap-1 rounded border border-line bg-brand-soft px-1.5 text-2xs text-foreground hover:border-line-strong"
          >
            <span className="truncate">
              <Shown text={words} />
            </span>
            <X aria-hidden className="size-3 shrink-0 text-soft" />
          </button>
        </li>
      ))}
    </ul>
  )
}
