import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { Button, IconButton } from './button.tsx'
import { cn } from './cn.ts'
import { OverlayHost } from './overlays.ts'

type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** Said under the title, or only read out when it repeats what is seen. */
  description?: string
  wide?: boolean
  /** Between narrow and wide. */
  middle?: boolean
  children: ReactNode
}

/**
 * Where the focus was before a dialog, and the way back to it: dialogs are opened by keys and commands too, so none has a
 * button that it knows. Opened by something that went away with it (a menu, the palette), it leaves the focus to the page.
 */
function useWayBack(): (event: Event) => void {
  const [before] = useState(() => (typeof document === 'undefined' ? null : document.activeElement))
  return (event) => {
    event.preventDefault()
    if (before instanceof HTMLElement && before.isConnected) before.focus()
  }
}

/** What a dialog holds; when it goes, the focus is where it was before. */
export function DialogContent({ children, ...props }: ComponentProps<typeof Radix.Content>) {
  const [host, setHost] = useState<HTMLElement | null>(null)
  return (
    <Radix.Content {...props} ref={setHost} onCloseAutoFocus={useWayBack()}>
      <OverlayHost.Provider value={host}>{children}</OverlayHost.Provider>
    </Radix.Content>
  )
}

/** A dialog that does not say what to focus gets it as a whole, not on its first button. */
const focusItself = (event: Event): void => {
  const content = event.currentTarget as HTMLElement
  event.preventDefault()
  if (!content.contains(document.activeElement)) content.focus()
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  wide = false,
  middle = false,
  children,
}: DialogProps) {
  const t = useTranslations('common')
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-shade animate-appear" />
        <DialogContent
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={focusItself}
          className={cn(
            'fixed top-[12vh] left-1/2 z-40 flex max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 flex-col rounded-xl border border-line-strong bg-raised animate-appear focus:outline-none',
            wide ? 'max-w-3xl' : middle ? 'max-w-xl' : 'max-w-md',
          )}
        >
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Radix.Title className="flex-1 text-sm font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label={t('close')}>
                <X aria-hidden />
              </IconButton>
            </Radix.Close>
          </div>
          <div className="min-h-0 overflow-y-auto p-4">
            {description !== undefined && (
              <Radix.Description className="mb-3 text-sm text-soft">{description}</Radix.Description>
            )}
            {children}
          </div>
        </DialogContent>
      </Radix.Portal>
    </Radix.Root>
  )
}

type ConfirmProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  action: string
  onConfirm: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({ open, onOpenChange, title, description, action, onConfirm }: ConfirmProps) {
  const t = useTranslations('common')
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      <div className="flex justify-end gap-2">
        <Button autoFocus onClick={() => onOpenChange(false)}>
          {t('cancel')}
        </Button>
        <Button
          look="danger"
          onClick={() => {
            onOpenChange(false)
            onConfirm()
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

type SheetProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  side: 'left' | 'bottom'
  title: string
  children: ReactNode
}

/** A drawer for narrow screens. */
export function Sheet({ open, onOpenChange, side, title, children }: SheetProps) {
  const t = useTranslations('common')
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-30 bg-shade animate-appear" />
        <DialogContent
          aria-describedby={undefined}
          className={cn(
            'fixed z-30 flex flex-col border-line-strong bg-background focus:outline-none',
            side === 'left'
              ? 'inset-y-0 left-0 w-[min(300px,86vw)] border-r bg-side'
              : 'inset-x-0 bottom-0 h-[82dvh] rounded-t-xl border-t',
          )}
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {side === 'bottom' && (
            <Radix.Close aria-label={t('close')} className="flex h-5 shrink-0 items-center justify-center">
              <span className="h-1 w-9 rounded-full bg-line-strong" />
            </Radix.Close>
          )}
          {children}
        </DialogContent>
      </Radix.Portal>
    </Radix.Root>
  )
}
