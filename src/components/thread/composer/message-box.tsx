'use client'
import { ArrowUp, File as FileIcon, Paperclip, Square, X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { readDraft, saveDraft } from '../../../client/drafts.ts'
import { parseSlash, type SlashCommand } from '../../../client/slash.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Shown } from '../../ui/shown.tsx'
import { optionId, SlashMenu } from './slash-menu.tsx'
import { type SlashCommands, useSlash } from './use-slash.ts'

/** Bytes of one file in a message; the server's own limit. */
const maxFileBytes = 25 * 1_024 * 1_024
const escTwiceMs = 900

const noCommands: readonly SlashCommand[] = []

export type SendMode = 'send' | 'steer'

type MessageBoxProps = {
  /** Where the draft is kept. */
  place: string
  label: string
  placeholder: string
  running: boolean
  /** Why nothing can be sent now. */
  blocked?: string | null
  /** Takes the message; false = keep it in the box. */
  onSend: (text: string, files: File[], mode: SendMode) => Promise<boolean>
  onStop?: () => void
  /** Hears of each change whether there is text. */
  onWriting?: (writing: boolean) => void
  /** What can be typed after a slash. */
  slash?: SlashCommands
  children?: ReactNode
}

/** Where people write: drafts, pasted pictures, files, and the keys that send, queue, steer and stop. */
export function MessageBox(props: MessageBoxProps) {
  const {
    place,
    label,
    placeholder,
    running,
    blocked = null,
    onSend,
    onStop,
    onWriting,
    slash,
    children,
  } = props
  const t = useTranslations('composer')
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [files, setFiles] = useState<File[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [said, setSaid] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const [over, setOver] = useState(false)
  const [escaped, setEscaped] = useState(0)

  useEffect(() => {
    setText(readDraft(place))
    // A phone's keyboard would cover what one came to read.
    if (!window.matchMedia('(pointer: coarse)').matches) area.current?.focus({ preventScroll: true })
  }, [place])

  const write = (next: string): void => {
    setText(next)
    setSaid(null)
    saveDraft(place, next)
    onWriting?.(next.trim() !== '')
  }

  const attach = (added: Iterable<File>): void => {
    const list = [...added]
    const tooLarge = list.find((file) => file.size > maxFileBytes)
    setProblem(
      tooLarge ? t('tooLarge', { name: visible(tooLarge.name), limit: formatBytes(maxFileBytes) }) : null,
    )
    setFiles((known) => [...known, ...list.filter((file) => file.size <= maxFileBytes)].slice(0, 40))
  }

  const runCommand = async (line: string): Promise<void> => {
    const command = slash && parseSlash(line)
    if (!command || sending) return
    setSending(true)
    setProblem(null)
    try {
      const answer = await slash.run(command.name, command.rest)
      if (answer !== null && 'problem' in answer) setProblem(answer.problem)
      else {
        write('')
        setSaid(answer?.said ?? null)
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : t('failed'))
    } finally {
      setSending(false)
      area.current?.focus()
    }
  }
  const menu = useSlash(text, slash?.commands ?? noCommands, write, (line) => void runCommand(line))
  const menuOpen = menu.suggestions.length > 0

  const empty = text.trim() === '' && files.length === 0
  const send = async (mode: SendMode): Promise<void> => {
    if (empty || sending) return
    if (slash && files.length === 0 && parseSlash(text) !== null) return runCommand(text)
    if (blocked !== null) return
    setSending(true)
    setProblem(null)
    try {
      if (await onSend(text, files, mode)) {
        write('')
        setFiles([])
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : t('failed'))
    } finally {
      setSending(false)
      area.current?.focus()
    }
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || menu.onKeyDown(event)) return
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      void send(event.metaKey || event.ctrlKey ? 'steer' : 'send')
    } else if (event.key === 'Escape' && running && onStop) {
      event.preventDefault()
      if (Date.now() - escaped < escTwiceMs) onStop()
      setEscaped(Date.now())
      setTimeout(() => setEscaped(0), escTwiceMs)
    } else if (event.key === 'ArrowUp' && text === '') {
      const queued = [...document.querySelectorAll<HTMLElement>('[data-queue-entry]')].at(-1)
      if (queued) {
        event.preventDefault()
        queued.click()
      }
    }
  }

  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files]
    if (pasted.length === 0) return
    event.preventDefault()
    attach(pasted)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files here is a second way; the button is the first.
    <div
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        attach(event.dataTransfer.files)
      }}
      className={cn(
        'relative rounded-xl border border-line-strong bg-raised transition-colors duration-100 focus-within:border-brand',
        over && 'border-brand bg-brand-soft',
      )}
    >
      {menuOpen && (
        <SlashMenu id={menu.id} suggestions={menu.suggestions} active={menu.active} onChoose={menu.choose} />
      )}
      {files.length > 0 && (
        <ul className="flex flex-wrap gap-1.5 px-3 pt-3">
          {files.map((file) => (
            <Attached
              key={`${file.name}:${file.size}:${file.lastModified}`}
              file={file}
              onRemove={() => setFiles(files.filter((other) => other !== file))}
            />
          ))}
        </ul>
      )}
      <textarea
        ref={area}
        value={text}
        rows={2}
        aria-label={label}
        aria-autocomplete={slash === undefined ? undefined : 'list'}
        aria-controls={menuOpen ? menu.id : undefined}
        aria-activedescendant={menuOpen ? optionId(menu.id, menu.active) : undefined}
        placeholder={placeholder}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block max-h-[38vh] min-h-14 w-full resize-none field-sizing-content bg-transparent px-3.5 pt-2.5 pb-1 text-sm placeholder:text-faint focus:outline-none max-md:text-base"
      />
      {(problem ?? blocked ?? said) !== null && (
        <p role="status" className={cn('px-3.5 pb-1 text-xs', problem === null ? 'text-soft' : 'text-bad')}>
          {problem ?? blocked ?? said}
        </p>
      )}
      <div className="flex items-center gap-1 px-2 pb-2">
        <IconButton label={t('attach')} onClick={() => picker.current?.click()}>
          <Paperclip aria-hidden />
        </IconButton>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attach(event.target.files ?? [])
            event.target.value = ''
          }}
        />
        <div className="flex min-w-0 flex-1 items-center gap-0.5 overflow-hidden">{children}</div>
        {escaped > 0 && running && <span className="text-xs text-soft">{t('escAgain')}</span>}
        {running && !empty && (
          <span className="mr-1 flex items-center gap-1.5 text-2xs text-faint max-md:hidden">
            <Kbd keys="enter" /> {t('queueHint')} <Kbd keys="mod enter" /> {t('steerHint')}
          </span>
        )}
        {running && onStop && (
          <IconButton label={t('stop')} keys="mod ." look="plain" onClick={onStop} data-testid="stop">
            <Square aria-hidden className="fill-current" />
          </IconButton>
        )}
        <Button
          look="primary"
          small
          className="size-7 px-0"
          aria-label={running ? t('queue') : t('send')}
          title={running ? t('queue') : t('send')}
          disabled={empty || sending || blocked !== null}
          onClick={() => void send('send')}
        >
          <ArrowUp aria-hidden className="size-4" />
        </Button>
      </div>
    </div>
  )
}

function Attached({ file, onRemove }: { file: File; onRemove: () => void }) {
  const t = useTranslations('composer')
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <li className="flex h-9 items-center gap-2 rounded-md border border-line bg-subtle pr-1 pl-1.5 text-xs">
      {url === null ? (
        <FileIcon aria-hidden className="size-4 text-soft" />
      ) : (
        // biome-ignore lint/performance/noImgElement: a preview of a file that has not been sent.
        <img src={url} alt="" className="size-6 rounded object-cover" />
      )}
      <span className="max-w-40 truncate">
        <Shown text={file.name} />
      </span>
      <span className="text-faint">{formatBytes(file.size)}</span>
      <IconButton label={t('detach', { name: visible(file.name) })} className="size-5" onClick={onRemove}>
        <X aria-hidden />
      </IconButton>
    </li>
  )
}
