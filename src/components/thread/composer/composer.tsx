'use client'
import { uploadFile } from '../../../client/uploads.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ContentPart } from '../../../protocol/item.ts'
import type { ThreadSettings } from '../../../protocol/settings.ts'
import { ContextMeter } from './context-meter.tsx'
import { MessageBox, type SendMode } from './message-box.tsx'
import { ModelPicker, PermissionPicker } from './pickers.tsx'
import { useThreadCommands } from './thread-commands.ts'

/** The composer of an open thread: sends, queues while a turn runs, steers, stops. */
export function Composer() {
  const t = useTranslations('composer')
  const store = useThreadStore()
  const projection = useThread((state) => state.projection)
  const threadId = useThread((state) => state.threadId)
  const settings = projection?.settings
  const turnId = projection?.turnId ?? null
  const running =
    turnId !== null &&
    ['working', 'waiting_for_person', 'stopping', 'queued'].includes(projection?.status ?? 'idle')

  const onSend = async (text: string, files: File[], mode: SendMode): Promise<boolean> => {
    const uploaded = await Promise.all(files.map((file) => uploadFile(threadId, file)))
    const content: ContentPart[] = [
      ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ...uploaded,
    ]
    // What is sent shows in the list at once and is kept there until the server has it; the box is free again.
    if (mode === 'steer' && running && turnId !== null)
      void store.submit({ type: 'turn.steer', content, expectedTurnId: turnId })
    else void store.submit({ type: 'turn.start', content })
    return true
  }
  const change = (settingsChange: Partial<ThreadSettings>): void => {
    void store.submit({ type: 'thread.settings', settings: settingsChange }).catch(() => undefined)
  }
  const stop = (): void => {
    if (turnId !== null) void store.submit({ type: 'turn.interrupt', turnId }).catch(() => undefined)
  }
  const slash = useThreadCommands(running ? stop : null)
  const blocked =
    projection?.status === 'closed' ? t('closed') : settings && settings.model === null ? t('noModel') : null

  return (
    <MessageBox
      place={threadId}
      label={t('label')}
      placeholder={running ? t('placeholderRunning') : t('placeholder')}
      running={running}
      blocked={blocked}
      onSend={onSend}
      onStop={stop}
      slash={slash}
    >
      {settings && (
        <>
          <ModelPicker settings={settings} spoken={projection.lockedModel} onChange={change} />
          <PermissionPicker settings={settings} onChange={change} />
          <span className="ml-auto flex shrink-0">
            <ContextMeter />
          </span>
        </>
      )}
    </MessageBox>
  )
}
