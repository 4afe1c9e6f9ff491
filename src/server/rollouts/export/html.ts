/**
 * A rollout as one page that opens from disk: no script, nothing loaded, readable on screen and on paper. Written as it
 * is read; the outline comes last and is put beside the text by the style.
 */
import type { Cut } from './cut.ts'
import { policy, style } from './html-style.ts'
import { bare, escapeHtml, shown } from './html-text.ts'
import { htmlOfMarkdown } from './markdown-text.ts'
import type { RolloutSource } from './source.ts'
import type { OutText } from './texts.ts'
import { type Limits, type Part, type Picture, tell } from './told.ts'
import {
  callLine,
  cutNote,
  dateOf,
  outcome,
  pictureNote,
  redactionNote,
  stepFigures,
  turnFigures,
  turnWord,
  windowWords,
} from './words.ts'

/** A page that a browser can still hold: of long rollouts less of each body. */
export const limitsOf = (events: number): Limits => ({
  message: 200_000,
  output: events <= 5_000 ? 40_000 : events <= 50_000 ? 8_000 : 2_000,
  picture: 2_000_000,
})
/** Bytes of all pictures in a page. */
const mostPictures = 40_000_000
const outlineChars = 90

const note = ({ text, cutFrom }: OutText): string =>
  cutFrom === null ? '' : `<p class="cut">${escapeHtml(cutNote(Buffer.byteLength(text), cutFrom))}</p>`

const pre = (text: OutText, body = shown(text.text)): string => `<pre>${body}</pre>${note(text)}`

const diff = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const kind = /^\+(?!\+\+)/.test(line) ? 'add' : /^-(?!--)/.test(line) ? 'del' : ''
      return kind === '' ? shown(line) : `<span class="${kind}">${shown(line)}</span>`
    })
    .join('\n')

const prose = (text: OutText): string => {
  const html = text.cutFrom === null ? htmlOfMarkdown(text.text) : null
  return html === null
    ? `<pre class="plain">${shown(text.text)}</pre>${note(text)}`
    : `<div class="prose">${html}</div>`
}

const callHtml = (part: Extract<Part, { type: 'call' }>): string => {
  const ended = outcome(part)
  const isPatch = part.detail?.type === 'patch'
  const args =
    part.args.text === '' ? '' : pre(part.args, isPatch ? diff(patchText(part.args.text)) : undefined)
  const output = part.output === null || part.output.text === '' ? '' : pre(part.output)
  const why = part.why === null ? '' : `<p class="why">${shown(part.why)}</p>`
  const end = ended === '' ? '' : `<span class="end">${shown(ended)}</span>`
  return `<details class="${part.status}"><summary><b>${shown(part.tool)}</b> <code>${shown(callLine(part).slice(0, 300))}</code>${end}</summary><div class="body">${args}${why}${output}</div></details>`
}

/** A patch comes as the text itself or as a field of the arguments. */
const patchText = (args: string): string => {
  try {
    const value: unknown = JSON.parse(args)
    const texts = value !== null && typeof value === 'object' ? Object.values(value) : []
    return texts.find((text): text is string => typeof text === 'string' && text.includes('*** ')) ?? args
  } catch {
    return args
  }
}

/** That a tool was used, and how it went; nothing of what it was about. */
const bareCall = ({ tool, status }: Extract<Part, { type: 'call' }>): string =>
  `<p class="call ${status}"><b>${shown(tool)}</b>${status === 'ok' ? '' : `<span class="end">${status}</span>`}</p>`

const safeTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** What of a rollout a page tells; a page that is kept tells all of it. */
export type HtmlShows = {
  /** What tools were given and gave back, with paths and errors. */
  tools: boolean
  reasoning: boolean
  pictures: boolean
  /** Models, tokens, times and costs. */
  figures: boolean
}

type HtmlOptions = {
  shows: HtmlShows
  /** How whoever wrote a message is called. */
  nameOf: (message: Extract<Part, { type: 'message' }>) => string
  /** What belongs to a turn stands within it; a page that grows at its end has every piece whole by itself. */
  nested: boolean
}

export type HtmlWriter = {
  block(part: Part): string
  /** What is still open, and the lines of the outline. */
  end(): { html: string; outline: string }
}

/** Turns parts into pieces of a page, one after the other. */
export const createHtml = ({ shows, nameOf, nested }: HtmlOptions): HtmlWriter => {
  const outline: string[] = []
  let room = mostPictures
  let inTurn = false
  let heading: { number: number; words: string } | null = null

  const pictureHtml = (picture: Picture): string => {
    if (!shows.pictures) return '<p class="quiet">A picture or file</p>'
    const words = shown(pictureNote(picture))
    if (!picture.data || !safeTypes.has(picture.mediaType) || picture.data.byteLength > room)
      return `<p class="quiet">${words}</p>`
    room -= picture.data.byteLength
    const data = `data:${picture.mediaType};base64,${picture.data.toString('base64')}`
    return `<figure><img alt="${bare(picture.name)}" src="${data}"><figcaption>${words}</figcaption></figure>`
  }

  /** The turn that ends has its line in the outline. */
  const close = (): void => {
    if (heading)
      outline.push(
        `<li><a href="#turn-${heading.number}"><span>${heading.number}</span>${heading.words}</a></li>`,
      )
    heading = null
  }

  const block = (part: Part): string => {
    switch (part.type) {
      case 'turn': {
        close()
        heading = { number: part.number, words: '' }
        const before = inTurn ? '</section>' : ''
        inTurn = nested
        const model = shows.figures ? `${shown(part.model)} · ` : ''
        const head = `<header><h2>Turn ${part.number}</h2><span class="quiet">${model}${escapeHtml(dateOf(part.at))}</span></header>`
        return `${before}<section class="turn" id="turn-${part.number}">${head}${nested ? '' : '</section>'}`
      }
      case 'turn_end': {
        const why =
          part.why === null || !shows.tools ? '' : `<div class="notice error">${shown(part.why)}</div>`
        return `${why}<p class="quiet">${shown(shows.figures ? turnFigures(part) : turnWord(part.status))}</p>`
      }
      case 'window':
        return `<div class="mark">${shown(shows.figures ? windowWords(part) : `Window ${part.number}`)}</div>`
      case 'step':
        return `<div class="step">${shown(shows.figures ? stepFigures(part) : `step ${part.number}`)}</div>`
      case 'message': {
        const who = shown(nameOf(part))
        if (heading && heading.words === '' && part.who === 'person')
          heading = { ...heading, words: bare(part.text.text.slice(0, 400)).slice(0, outlineChars) }
        const pictures = part.pictures.map(pictureHtml).join('')
        return `<article class="message ${part.who}"><div class="who">${who}</div>${prose(part.text)}${pictures}</article>`
      }
      case 'reasoning':
        if (!shows.reasoning) return ''
        return `<details><summary><b>Reasoning</b></summary><div class="body">${pre(part.text)}</div></details>`
      case 'call':
        return shows.tools ? callHtml(part) : bareCall(part)
      case 'plan': {
        const entries = part.entries.map(({ text, status }) => `<li class="${status}">${shown(text)}</li>`)
        return `<div class="who">Plan</div><ul class="plan">${entries.join('')}</ul>`
      }
      case 'question':
        return part.questions
          .map(
            ({ text, answer }) =>
              `<div class="notice"><b>${shown(text)}</b><br>${answer === '' ? 'No answer.' : shown(answer)}</div>`,
          )
          .join('')
      case 'notice':
        if (!shows.tools) return ''
        return `<div class="notice ${part.level}">${shown(part.text)}</div>`
      case 'record':
        if (!shows.tools) return ''
        return `<details><summary><b>Line ${part.line}</b> <code>${shown(part.kind)}</code><span class="end">kept as it is</span></summary><div class="body">${pre(part.text)}</div></details>`
    }
  }

  return {
    block,
    end: () => {
      close()
      return { html: inTurn ? '</section>' : '', outline: outline.join('\n') }
    },
  }
}

const all: HtmlShows = { tools: true, reasoning: true, pictures: true, figures: true }

export async function* writeHtml(source: RolloutSource, cut: Cut): AsyncGenerator<string> {
  const { manifest } = source
  const title = cut.text(manifest.title)
  const html = createHtml({
    shows: all,
    nameOf: ({ who }) => (who === 'person' ? 'Person' : 'Agent'),
    nested: true,
  })
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">
<title>${bare(title) || 'Rollout'}</title><style>${style}</style></head>
<body><div class="page"><main><h1>${shown(title) || 'Rollout'}</h1>
<p class="facts">${escapeHtml(dateOf(manifest.createdAt))} · ${manifest.head.toLocaleString('en')} events · ${manifest.windows.length} ${manifest.windows.length === 1 ? 'window' : 'windows'}</p>
<p class="cutfacts">${shown(redactionNote(cut.redacted))}</p>
`
  for await (const part of tell(source, cut, limitsOf(manifest.head))) yield `${html.block(part)}\n`
  const { html: rest, outline } = html.end()
  yield `${rest}</main><aside><h2>Turns</h2><ol>${outline}</ol></aside></div></body></html>\n`
}
