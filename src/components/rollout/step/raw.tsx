'use client'
import { Check, CircleDashed, TriangleAlert } from 'lucide-react'
import { useFormatter } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { bodySteps, useBody } from '../../../client/rollout-body.ts'
import type { Json } from '../../../client/rollout-text.ts'
import { readJsonLines, sha256 } from '../../../client/rollout-text.ts'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatBytes, formatMoney } from '../../../lib/format.ts'
import type { RolloutStep } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Shown } from '../../ui/shown.tsx'
import { StoredBody } from '../body/body-view.tsx'
import { JsonView } from '../body/json-view.tsx'
import { EventLine } from './event-line.tsx'

/** The bytes that went out and came back, and every figure about them. */
export function Raw({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.raw')
  const threadId = useRollout((state) => state.threadId)
  const stepId = step.row.stepId ?? ''
  const path = (part: 'request' | 'response'): string => `/t/${threadId}/steps/${stepId}/${part}`
  return (
    <ScrollBox label={t('label')} className="h-full space-y-5 px-4 py-3 pb-8">
      <Figures step={step} />
      <Part
        title={t('request')}
        bytes={step.request.bytes}
        aside={<HashCheck step={step} path={path('request')} />}
      >
        {step.request.bytes === null ? (
          <p className="text-xs text-faint">{t('noRequest')}</p>
        ) : (
          <StoredBody path={path('request')} look="json" />
        )}
      </Part>
      <Part title={t('response')} bytes={step.response.bytes}>
        {step.response.hash === null ? (
          <p className="text-xs text-faint">{step.end === null ? t('notYet') : t('noResponse')}</p>
        ) : (
          <StoredBody path={path('response')} look="text">
            {(text) => <Response text={text} />}
          </StoredBody>
        )}
      </Part>
      {step.events.length > 0 && (
        <Part title={t('events')}>
          <div className="space-y-1">
            {step.events.map((event) => (
              <EventLine key={event.seq} event={event} raw />
            ))}
          </div>
        </Part>
      )}
    </ScrollBox>
  )
}

function Part({
  title,
  bytes = null,
  aside,
  children,
}: {
  title: string
  bytes?: number | null
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="min-w-0">
      <h3 className="flex min-h-7 items-center gap-2 pb-1 text-xs font-medium text-soft">
        {title}
        {bytes !== null && <span className="font-normal text-faint tabular">{formatBytes(bytes)}</span>}
        {aside}
      </h3>
      {children}
    </section>
  )
}

/** A response as its events, when it is a stream of them; else as it is. */
function Response({ text }: { text: string }) {
  const t = useTranslations('rollout.raw')
  const [raw, setRaw] = useState(false)
  const lines = readJsonLines(text)
  if (lines === null || lines.length < 2) return null
  return (
    <div className="space-y-1">
      <p className="flex items-center gap-2 text-xs text-faint">
        {t('streamed', { count: lines.length })}
        <Button small look="quiet" className="h-6" aria-pressed={raw} onClick={() => setRaw(!raw)}>
          {raw ? t('asEvents') : t('asBytes')}
        </Button>
      </p>
      {raw ? (
        <pre className="max-h-150 overflow-auto rounded-md border border-line bg-(--term-bg) px-3 py-2 text-[12.5px] leading-[18px] whitespace-pre-wrap wrap-anywhere">
          <Shown text={text.slice(0, 65_536)} />
        </pre>
      ) : (
        <JsonView value={lines as Json[]} />
      )}
    </div>
  )
}

/** Reads the whole request here and hashes it here: the proof does not come from the server's word. */
function HashCheck({ step, path }: { step: RolloutStep; path: string }) {
  const t = useTranslations('rollout.raw')
  const [wanted, setWanted] = useState(false)
  const [result, setResult] = useState<'ok' | 'differs' | 'impossible' | 'working' | null>(null)
  const { bytes, bodySha256 } = step.request
  const large = bytes !== null && bytes > bodySteps[2]
  const body = useBody(wanted && !large ? path : undefined, bytes === null ? 0 : bytes + 1)
  if (wanted && result === null && body.data?.whole) {
    setResult('working')
    void sha256(body.data.bytes).then((digest) =>
      setResult(digest === null ? 'impossible' : digest === bodySha256 ? 'ok' : 'differs'),
    )
  }
  if (bytes === null || large) return null
  if (result === 'ok' || result === 'differs')
    return (
      <span
        className={
          result === 'ok'
            ? 'inline-flex items-center gap-1 font-normal text-good'
            : 'inline-flex items-center gap-1 font-normal text-bad'
        }
        data-testid="hash-check"
        data-result={result}
      >
        {result === 'ok' ? (
          <Check aria-hidden className="size-3" />
        ) : (
          <TriangleAlert aria-hidden className="size-3" />
        )}
        {t(`hash.${result}`, { hash: bodySha256.slice(0, 12) })}
      </span>
    )
  return (
    <>
      <Button small look="quiet" className="h-6" disabled={wanted} onClick={() => setWanted(true)}>
        <CircleDashed aria-hidden className="size-3" />
        {wanted ? t('hash.working') : t('hash.check')}
      </Button>
      {result === 'impossible' && <span className="font-normal text-faint">{t('hash.impossible')}</span>}
    </>
  )
}

function Figures({ step }: { step: RolloutStep }) {
  const t = useTranslations('rollout.raw.figures')
  const durationOf = useDuration()
  const format = useFormatter()
  const { end, request } = step
  const number = (value: number): string => format.number(value)
  const rows: [string, ReactNode][] = [
    [t('step'), <code key="id">{step.row.stepId}</code>],
    [t('model'), step.model],
    [t('wire'), step.wire],
    [t('effort'), step.effort ?? '–'],
    [t('blocks'), t('blocksOf', { count: step.blockCount, fresh: step.blockCount - step.newFrom })],
    [t('marks'), step.cacheMarks.length === 0 ? '–' : step.cacheMarks.join(', ')],
    [t('hash'), <code key="hash">{request.bodySha256}</code>],
  ]
  if (end !== null) {
    const { usage } = end
    rows.push(
      [t('status'), `${end.status} · ${end.stopReason || '–'}`],
      [t('firstToken'), end.firstTokenMs === null ? '–' : `${number(end.firstTokenMs)} ms`],
      [t('total'), durationOf(end.totalMs)],
      [t('input'), number(usage.input)],
      [t('cached'), number(usage.cachedInput)],
      [t('cacheWrite'), number(usage.cacheWrite)],
      [t('output'), number(usage.output)],
      [t('reasoning'), number(usage.reasoning)],
      [
        t('cost'),
        end.costMicros === null ? '–' : `${formatMoney(end.costMicros)} (${number(end.costMicros)} µ$)`,
      ],
      [t('retries'), number(end.retries)],
      [
        t('requestId'),
        end.providerRequestId === null ? (
          '–'
        ) : (
          <code key="rid">
            <Shown text={end.providerRequestId} />
          </code>
        ),
      ],
    )
  }
  if (step.estimatedTokens !== null) rows.push([t('estimated'), number(step.estimatedTokens)])
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-xs">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="tabular wrap-anywhere">
            {typeof value === 'string' ? <Shown text={value} /> : value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
