'use client'
import { useTranslations } from 'next-intl'
import type { ToolCall } from '../../../protocol/item.ts'
import { LongText } from '../long-text.tsx'

const pretty = (json: string): string => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

const preClass =
  'max-h-96 overflow-auto rounded-md border border-line bg-(--term-bg) px-3 py-2 text-[12.5px] leading-[18px] whitespace-pre-wrap wrap-anywhere'

/** What a call was given and what the model got back, as text. */
export function TextBody({ item }: { item: ToolCall }) {
  const t = useTranslations('tools')
  const output = 'output' in item.state ? item.state.output : undefined
  const error = 'error' in item.state ? item.state.error : undefined
  return (
    <div className="space-y-2">
      {error && <p className="text-xs text-bad">{error.message}</p>}
      <div>
        <p className="pb-0.5 text-2xs text-faint">{t('given')}</p>
        <LongText value={item.arguments}>{(text) => <pre className={preClass}>{pretty(text)}</pre>}</LongText>
      </div>
      {output !== undefined && output.text !== '' && (
        <div>
          <p className="pb-0.5 text-2xs text-faint">{t('answered')}</p>
          <LongText value={output}>{(text) => <pre className={preClass}>{text}</pre>}</LongText>
        </div>
      )}
    </div>
  )
}
