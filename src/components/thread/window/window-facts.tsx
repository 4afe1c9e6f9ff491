'use client'
import { Check, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useItem } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { WindowView } from '../../../protocol/view.ts'
import { Shown } from '../../ui/shown.tsx'
import { LongText } from '../long-text.tsx'
import { itemWords } from './item-words.ts'
import { PinButton } from './pin-button.tsx'

type WindowFactsProps = {
  window: WindowView
  /** The one before it, where it is known. */
  before: WindowView | undefined
}

/** Whether there is anything of that kind to say. */
export const hasFacts = ({ focus, hint, rules, pinned }: WindowView): boolean =>
  focus !== undefined || hint !== undefined || rules !== undefined || (pinned?.length ?? 0) > 0

/** What a window was told of the time before: a person's line, the hint, the rules with their hashes, the pins. */
export function WindowFacts({ window, before }: WindowFactsProps) {
  const t = useTranslations('windows')
  return (
    <div className="space-y-3">
      {window.focus !== undefined && (
        <Fact title={t('focus')}>
          <p className="text-sm wrap-anywhere">
            <Shown text={window.focus} />
          </p>
        </Fact>
      )}
      {window.hint !== undefined && (
        <Fact title={window.strategy === 'handoff' ? t('document') : t('hint')}>
          <LongText value={window.hint}>
            {(text) => (
              <pre
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
                tabIndex={0}
                className="max-h-64 overflow-auto rounded-md border border-line bg-subtle p-2 text-xs whitespace-pre-wrap wrap-anywhere"
                data-testid="hint"
              >
                <Shown text={text} />
              </pre>
            )}
          </LongText>
        </Fact>
      )}
      {window.rules !== undefined && (
        <Fact title={t('rules')}>
          {window.rules.length === 0 ? (
            <p className="text-xs text-soft">{t('noRules')}</p>
          ) : (
            <ul className="space-y-1">
              {window.rules.map((rule) => (
                <Rule
                  key={rule.path}
                  rule={rule}
                  known={before?.rules?.find(({ path }) => path === rule.path)?.hash}
                />
              ))}
            </ul>
          )}
        </Fact>
      )}
      {window.pinned !== undefined && window.pinned.length > 0 && (
        <Fact title={t('pinnedItems')}>
          <ul>
            {window.pinned.map((itemId) => (
              <PinnedItem key={itemId} itemId={itemId} />
            ))}
          </ul>
        </Fact>
      )}
    </div>
  )
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="pb-1 text-xs font-medium text-soft">{title}</h3>
      {children}
    </section>
  )
}

/** The hash is of the bytes that the model was given; against the window before it shows whether they are the same. */
function Rule({ rule, known }: { rule: { path: string; hash: string }; known: string | undefined }) {
  const t = useTranslations('windows')
  const changed = known !== undefined && known !== rule.hash
  return (
    <li className="flex items-center gap-2 text-xs">
      <code className="min-w-0 flex-1 truncate">
        <Shown text={rule.path} />
      </code>
      <code className="text-faint" title={t('hashHint', { hash: rule.hash })}>
        {rule.hash.slice(0, 8)}
      </code>
      <span
        className={
          changed ? 'inline-flex items-center gap-1 text-wait' : 'inline-flex items-center gap-1 text-good'
        }
      >
        {changed ? (
          <TriangleAlert aria-hidden className="size-3" />
        ) : (
          <Check aria-hidden className="size-3" />
        )}
        {changed ? t('hashChanged') : t('hashOk')}
      </span>
    </li>
  )
}

export function PinnedItem({ itemId }: { itemId: string }) {
  const t = useTranslations('windows')
  const item = useItem(itemId)?.item
  const words = item === undefined ? null : itemWords(item)
  return (
    <li className="flex items-center gap-2 text-xs">
      <span className="min-w-0 flex-1 truncate">
        <Shown text={words ?? t('earlierItem', { itemId })} />
      </span>
      <PinButton itemId={itemId} name={words ?? itemId} />
    </li>
  )
}
