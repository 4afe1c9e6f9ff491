'use client'
import { useMay, useThreadRole, useTypingSignal } from '../../../client/thread-people.ts'
import { uploadFile } from '../../../client/uploads.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { isAtLeast } from '../../../protocol/access.ts'
import type { ContentPart } from '../../../protocol/item.ts'
import type { ThreadSettings } from '../../../protocol/settings.ts'
import { ContextMeter } from './context-meter.tsx'
import { MessageBox, type SendMode } from './message-box.tsx'
import { ModelPicker, PermissionPicker } from './pickers.tsx'
import { ReadsAlong } from './reads-along.tsx'
import { useThreadCommands } from './thread-commands.ts'

/** The composer of an open thread; whose role may not send is told so in its place. */
export function Composer() {
  const role = useThreadRole()
  return role === null || isAtLeast(role, 'driver') ? <Writer /> : <ReadsAlong role={role} />
}

/** Sends, queues while a turn runs, steers, stops. */
function Writer() {
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
  const onWriting = useTypingSignal()
  const isOwner = useMay('owner')
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
      onWriting={onWriting}
      slash={slash}
    >
      {settings && (
        <>
          <ModelPicker settings={settings} spoken={projection.lockedModel} onChange={change} />
          <PermissionPicker settings={settings} onChange={change} isOwner={isOwner} />
          <span className="ml-auto flex shrink-0">
            <ContextMeter />
          </span>
        </>
      )}
    </MessageBox>
  )
}
