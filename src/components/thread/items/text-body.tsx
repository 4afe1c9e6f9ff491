'use client'
import { readJson } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ToolCall } from '../../../protocol/item.ts'
import { TextView } from '../../rollout/body/text-view.tsx'
import { Shown } from '../../ui/shown.tsx'
import { LongText } from '../long-text.tsx'

const pretty = (json: string): string => {
  const read = readJson(json)
  return 'value' in read ? JSON.stringify(read.value, null, 2) : json
}

const frame = 'max-h-96 overflow-auto'

/** What a call was given and what the model got back, as text. */
export function TextBody({ item }: { item: ToolCall }) {
  const t = useTranslations('tools')
  const output = 'output' in item.state ? item.state.output : undefined
  const error = 'error' in item.state ? item.state.error : undefined
  return (
    <div className="space-y-2">
      {error && (
        <p className="text-xs text-bad">
          <Shown text={error.message} />
        </p>
      )}
      <div>
        <p className="pb-0.5 text-2xs text-faint">{t('given')}</p>
        <LongText value={item.arguments}>
          {(text) => <TextView text={pretty(text)} className={frame} />}
        </LongText>
      </div>
      {output !== undefined && output.text !== '' && (
        <div>
          <p className="pb-0.5 text-2xs text-faint">{t('answered')}</p>
          <LongText value={output}>{(text) => <TextView text={text} className={frame} />}</LongText>
        </div>
      )}
    </div>
  )
}
