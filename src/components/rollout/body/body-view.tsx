'use client'
import { Braces, Download, Text } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { blobPath, bodySteps, useBody } from '../../../client/rollout-body.ts'
import { isMarkdownFit, isText, readJson } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import { Prose } from '../../thread/prose.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Boundary } from './boundary.tsx'
import { JsonView } from './json-view.tsx'
import { TextView } from './text-view.tsx'

export type Look = 'prose' | 'json' | 'text'

/** A body as its kind wants it, or as plain text when it does not fit or breaks. */
export function BodyView({ text, look }: { text: string; look: Look }) {
  const t = useTranslations('rollout.body')
  return (
    <Boundary
      key={look}
      fallback={(error) => (
        <div className="space-y-1">
          <p className="text-xs text-wait">{t('broke', { why: visible(error.message.slice(0, 120)) })}</p>
          <TextView text={text} />
        </div>
      )}
    >
      {look === 'prose' ? (
        <ProseBody text={text} />
      ) : look === 'json' ? (
        <JsonBody text={text} />
      ) : (
        <TextView text={text} />
      )}
    </Boundary>
  )
}

function ProseBody({ text }: { text: string }) {
  const t = useTranslations('rollout.body')
  const fit = useMemo(() => isMarkdownFit(text), [text])
  if (fit) return <Prose text={text} />
  return (
    <div className="space-y-1">
      <p className="text-xs text-faint">{t('plain')}</p>
      <TextView text={text} />
    </div>
  )
}

function JsonBody({ text }: { text: string }) {
  const t = useTranslations('rollout.body')
  const read = useMemo(() => readJson(text), [text])
  const [raw, setRaw] = useState(false)
  if (!('value' in read))
    return (
      <div className="space-y-1">
        {read.why !== 'no_json' && <p className="text-xs text-faint">{t(read.why)}</p>}
        <TextView text={text} />
      </div>
    )
  return (
    <div className="group/json relative">
      {raw ? <TextView text={JSON.stringify(read.value, null, 2)} /> : <JsonView value={read.value} />}
      <span className="absolute top-1 right-1">
        <Button small look="quiet" className="h-6 bg-(--term-bg) px-1.5" onClick={() => setRaw(!raw)}>
          {raw ? <Braces aria-hidden className="size-3.5" /> : <Text aria-hidden className="size-3.5" />}
          <span className="sr-only">{raw ? t('asTree') : t('asText')}</span>
        </Button>
      </span>
    </div>
  )
}

/** A body that lies elsewhere: read from its beginning, more on demand, and to take away. */
export function StoredBody({
  path,
  look,
  children,
}: {
  path: string
  look: Look
  children?: ((text: string) => ReactNode) | undefined
}) {
  const t = useTranslations('rollout.body')
  const [step, setStep] = useState(0)
  const body = useBody(path, bodySteps[step])
  if (body.isError)
    return (
      <p className="flex items-center gap-2 text-xs text-bad">
        {t('unread')}
        <Button small onClick={() => void body.refetch()}>
          {t('again')}
        </Button>
      </p>
    )
  if (body.data === undefined) return <Skeleton className="h-16" />
  const { text, whole, total } = body.data
  return (
    <div className="min-w-0 space-y-1">
      {isText(text) ? (
        (children?.(text) ?? <BodyView text={text} look={whole ? look : 'text'} />)
      ) : (
        <p className="text-xs text-faint">{t('binary', { size: formatBytes(total ?? text.length) })}</p>
      )}
      <div className="flex flex-wrap items-center gap-3 text-xs text-faint tabular">
        {!whole && step < bodySteps.length - 1 && (
          <Button
            small
            look="quiet"
            className="-ml-2"
            disabled={body.isFetching}
            onClick={() => setStep(step + 1)}
          >
            {t('readOn', { size: formatBytes(bodySteps[step + 1] ?? 0) })}
          </Button>
        )}
        <a href={path} download className="inline-flex items-center gap-1 rounded hover:text-foreground">
          <Download aria-hidden className="size-3" />
          {total === null ? t('download') : t('downloadSize', { size: formatBytes(total) })}
        </a>
      </div>
    </div>
  )
}

/** A text of any length: what is in the event, and the whole of it when it lies in a blob. */
export function LongBody({
  threadId,
  value,
  look,
  children,
}: {
  threadId: string
  value: { text: string; blob?: string | undefined }
  look: Look
  children?: ((text: string) => ReactNode) | undefined
}) {
  if (value.blob !== undefined)
    return (
      <StoredBody path={blobPath(threadId, value.blob)} look={look}>
        {children}
      </StoredBody>
    )
  return <>{children?.(value.text) ?? <BodyView text={value.text} look={look} />}</>
}
