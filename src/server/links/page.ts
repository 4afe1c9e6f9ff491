/**
 * The page of a public link: one document without a font, a picture or a script from anywhere else. A live page has one
 * script, fixed and named by its hash in the policy, which puts what comes at the end. Knows no database.
 */
import { createHash } from 'node:crypto'
import type { LinkShow } from '../../protocol/link.ts'
import type { HtmlShows } from '../rollouts/export/html.ts'
import { style as base } from '../rollouts/export/html-style.ts'
import { bare, escapeHtml, shown } from '../rollouts/export/html-text.ts'
import { dateOf } from '../rollouts/export/words.ts'

const style = `${base}
.shared{display:block;max-width:900px;margin:0 auto}.shared main{padding:28px 24px 96px}
.brand{font-size:12px;color:var(--quiet);margin:0 0 14px;display:flex;gap:8px;align-items:center}
.brand b{color:var(--text);font-weight:600;letter-spacing:-.01em}
.live{display:inline-flex;gap:6px;align-items:center;border:1px solid var(--line);border-radius:99px;padding:1px 9px;margin-left:auto}
.live::before{content:"";width:7px;height:7px;border-radius:50%;background:var(--green)}
.live.off::before{background:var(--amber)}
p.call{display:flex;gap:8px;margin:3px 0;padding:3px 0;font-size:13px}p.call b{font-weight:500}p.call .end{color:var(--quiet);font-size:12px}p.call.failed .end{color:var(--red)}
.gone{max-width:44ch;margin:18vh auto 0;padding:0 24px;text-align:center}.gone h1{font-size:18px}
@media (max-width:860px){.shared main{padding:20px 16px 64px}}
`

/** What comes is put at the end; who reads at the end stays there; when the link is over nothing is left. */
const script = `
(() => {
  const main = document.querySelector('main')
  const state = document.getElementById('state')
  const more = document.getElementById('more')
  const source = new EventSource(location.pathname.replace(/\\/+$/, '') + '/live?after=' + more.dataset.after + '&of=' + more.dataset.of)
  const over = () => {
    source.close()
    const gone = document.createElement('div')
    const said = document.createElement('h1')
    gone.className = 'gone'
    said.textContent = 'This link does not open any more'
    gone.append(said)
    document.title = 'Baton'
    main.replaceChildren(gone)
  }
  source.onopen = () => { state.className = 'live'; state.textContent = 'live' }
  source.onmessage = ({ data }) => {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 120
    more.insertAdjacentHTML('beforeend', JSON.parse(data))
    if (atEnd) scrollTo(0, document.documentElement.scrollHeight)
  }
  source.addEventListener('over', over)
  source.addEventListener('again', () => location.reload())
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) over()
    else { state.className = 'live off'; state.textContent = 'connecting again' }
  }
})()
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Headers of a shared page: kept by nobody, indexed by nobody, in no frame, and it tells no site where a reader came from. */
export const pageHeaders = (live: boolean): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': [
    `default-src 'none'; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
    `frame-ancestors 'none'`,
    ...(live ? [`script-src ${hashOf(script)}; connect-src 'self'`] : []),
  ].join('; '),
})

export const showsOf = (chosen: readonly LinkShow[]): HtmlShows => ({
  tools: chosen.includes('tools'),
  reasoning: chosen.includes('reasoning'),
  pictures: chosen.includes('pictures'),
  figures: chosen.includes('figures'),
})

const headOf = (title: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex,nofollow">
<title>${bare(title) || 'Baton'}</title><style>${style}</style></head>
<body><div class="shared"><main>`

type Top = { title: string; range: string; madeAt: number; note: string }

/** The document up to its first piece; `live` is what the script goes on from. */
export const beginning = ({ title, range, madeAt, note }: Top, isLive: boolean): string =>
  `${headOf(title)}<p class="brand"><b>Baton</b>${isLive ? '<span id="state" class="live">live</span>' : ''}</p>
<h1>${shown(title) || 'A thread'}</h1>
<p class="facts">${escapeHtml(range)} · ${isLive ? 'shared live since' : 'a copy made on'} ${escapeHtml(dateOf(madeAt))}</p>
<p class="cutfacts">${shown(note)}</p>
`

export const ending = (live: { of: string; after: number } | null): string =>
  live === null
    ? '</main></div></body></html>\n'
    : `<div id="more" data-of="${escapeHtml(live.of)}" data-after="${live.after}"></div></main></div><script>${script}</script></body></html>\n`

/** The same for a link that never was, that was revoked and that ran out. */
export const gonePage = `${headOf('Baton')}<div class="gone"><h1>This link does not open anything</h1>
<p class="quiet">It was revoked, it has expired, or a part of it is missing. Ask whoever sent it for a new one.</p></div></main></div></body></html>
`

export const rangeWords = (fromStep: number, toStep: number | null): string =>
  toStep === null
    ? fromStep === 1
      ? 'The whole thread'
      : `From step ${fromStep} on`
    : fromStep === toStep
      ? `Step ${fromStep}`
      : `Steps ${fromStep} to ${toStep}`
