'use client'
import { createCodePlugin } from '@streamdown/code'
import { memo, type ReactNode, useMemo } from 'react'
import { type Components, defaultRehypePlugins, Streamdown } from 'streamdown'
import { isMarkdownFit } from '../../client/rollout-text.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import { Boundary } from '../rollout/body/boundary.tsx'
import { TextView } from '../rollout/body/text-view.tsx'

const code = createCodePlugin({ themes: ['github-light-high-contrast', 'github-dark-high-contrast'] })

const safe = (href: string | undefined): string | undefined => {
  if (href === undefined) return undefined
  if (href.startsWith('#')) return href
  try {
    const { protocol } = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined
  } catch {
    return undefined
  }
}

/** Where a link leads, with a host of foreign letters in the form that tells it from the one it looks like. */
const addressOf = (href: string): string | undefined =>
  href.startsWith('#') ? undefined : new URL(href).href

/** Only http, https, mailto and places in the page become links; everything else stays text. */
function SafeLink({ href, children }: { href?: string; children?: ReactNode }) {
  const target = safe(href)
  if (target === undefined) return <span>{children}</span>
  return (
    <a
      href={target}
      title={addressOf(target)}
      className="text-brand underline decoration-line-strong underline-offset-2 hover:decoration-brand"
      {...(target.startsWith('#') ? {} : { target: '_blank', rel: 'noopener noreferrer nofollow' })}
    >
      {children}
    </a>
  )
}

/** A picture from elsewhere would tell its server who reads: its address is shown as a link instead. */
function ImageAsLink({ src, alt }: { src?: unknown; alt?: unknown }) {
  const address = typeof src === 'string' ? src : ''
  return <SafeLink href={address}>{typeof alt === 'string' && alt !== '' ? alt : address}</SafeLink>
}

const components = { a: SafeLink, img: ImageAsLink } as Components

/** Without the parser of raw HTML: tags are read as the text they are. */
const rehypePlugins = Object.entries(defaultRehypePlugins)
  .filter(([name]) => name !== 'raw')
  .map(([, plugin]) => plugin)

type ProseProps = { text: string; streaming?: boolean }

/**
 * Markdown that a model or a person wrote, safe to show while it is still coming. What would choke the parser, or breaks
 * it, stands there as it was written.
 */
export const Prose = memo(function Prose({ text, streaming = false }: ProseProps) {
  const fit = useMemo(() => isMarkdownFit(text), [text])
  if (!fit) return <TextView text={text} />
  return (
    <Boundary fallback={() => <TextView text={text} />}>
      <Markdown text={text} streaming={streaming} />
    </Boundary>
  )
})

function Markdown({ text, streaming }: Required<ProseProps>) {
  const t = useTranslations('prose')
  return (
    <Streamdown
      className="prose-baton"
      mode={streaming ? 'streaming' : 'static'}
      plugins={{ code }}
      components={components}
      urlTransform={(url) => safe(url) ?? ''}
      rehypePlugins={rehypePlugins}
      linkSafety={{ enabled: false }}
      lineNumbers={false}
      controls={{ code: { copy: true, download: false }, table: false, mermaid: false, image: false }}
      translations={{ copyCode: t('copyCode'), copied: t('copied') }}
    >
      {visible(text)}
    </Streamdown>
  )
}
