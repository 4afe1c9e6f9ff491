'use client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useThread } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { formatCount } from '../../lib/format.ts'
import type { LongText as LongTextShape } from '../../protocol/item.ts'
import { TextView } from '../rollout/body/text-view.tsx'
import { Button } from '../ui/button.tsx'

/** Text of a blob that belongs to this thread; undefined until it is here. Blobs never change. */
export function useBlobText(hash: string | undefined): { text: string | undefined; failed: boolean } {
  const threadId = useThread((state) => state.threadId)
  const { data, isError } = useQuery({
    queryKey: ['blob', threadId, hash],
    enabled: hash !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await fetch(`/t/${threadId}/b/${hash}`, { signal })
      if (!response.ok) throw new Error(String(response.status))
      return await response.text()
    },
  })
  return { text: data, failed: isError }
}

/** A longer text is shown in parts, as it is written, whatever it is. */
const mostChars = 200_000

type LongTextProps = { value: LongTextShape; children: (text: string) => ReactNode }

/** A text of any length: its beginning, and the rest when asked for. */
export function LongText({ value, children }: LongTextProps) {
  const t = useTranslations('longText')
  const [wanted, setWanted] = useState(false)
  const { text, failed } = useBlobText(wanted ? value.blob : undefined)
  const cut = value.blob !== undefined && text === undefined
  return (
    <>
      {text !== undefined && text.length > mostChars ? (
        <TextView text={text} />
      ) : (
        children(text ?? (cut ? `${value.text}…` : value.text))
      )}
      {cut && (
        <Button
          look="quiet"
          small
          className="-ml-2"
          disabled={wanted && !failed}
          onClick={() => setWanted(true)}
        >
          {failed ? t('failed') : wanted ? t('loading') : t('more', { chars: formatCount(value.chars ?? 0) })}
        </Button>
      )}
    </>
  )
}
