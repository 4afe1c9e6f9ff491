import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { corpus, nested } from '../../../../test/hostile/corpus.ts'
import { madeRollout, memoryStore, wholeText } from '../../../../test/setup/memory-rollout.ts'
import { createExporter } from './export.ts'
import { fenced, htmlOfMarkdown, safeMarkdown } from './markdown-text.ts'

const nodes = (node: Nodes): Nodes[] => [
  node,
  ...('children' in node ? node.children.flatMap((child) => nodes(child)) : []),
]
const loads = (text: string): Nodes[] =>
  nodes(fromMarkdown(text)).filter(({ type }) => ['html', 'image', 'imageReference'].includes(type))

const write = async (words: Partial<Parameters<typeof madeRollout>[0]>): Promise<string> => {
  const rollout = madeRollout({
    title: 'A title',
    requests: ['do it'],
    answers: ['done'],
    outputs: ['out'],
    note: '',
    raw: new Uint8Array(),
    ...words,
  })
  const exporter = createExporter(memoryStore(rollout))
  const request = { threadId: rollout.threadId, format: 'markdown', redaction: 'secrets' } as const
  return wholeText((await exporter.open({ ...request, confirm: null })).chunks)
}

describe('a rollout in Markdown', () => {
  it('reads like a page', async () => {
    const text = await write({ requests: ['Fix the *test*.'], answers: ['It is **fixed**.'] })
    expect(text).toContain('# A title\n')
    expect(text).toContain('## Turn 1\n')
    expect(text).toContain('### Person\n\nFix the *test*.\n')
    expect(text).toContain('### Agent\n\nIt is **fixed**.\n')
    expect(text).toContain('**exec\\_command** `$ echo Fix the *test*.` (0.0 s)\n\n```\nout\n```\n')
    expect(text).toContain('step 1 · 100 in (50 % cached) · 12 out')
    expect(text).toContain('Looked through for secrets; none were found.')
  })

  it('has all of a command that is longer than a line, or has lines of its own', async () => {
    const command = `cat > a.txt <<EOF\n${'a line of words\n'.repeat(80)}the last line\nEOF`
    const rollout = madeRollout({
      title: 'A title',
      requests: ['do it'],
      answers: ['done'],
      outputs: ['out'],
      note: '',
      raw: new Uint8Array(),
    })
    for (const event of rollout.events)
      if (event.type === 'item.completed' && event.body.item.type === 'tool_call')
        event.body.item.arguments = { text: JSON.stringify({ cmd: command }) }
    const exporter = createExporter(memoryStore(rollout))
    const request = { threadId: rollout.threadId, format: 'markdown', redaction: 'secrets' } as const
    const text = await wholeText((await exporter.open({ ...request, confirm: null })).chunks)
    expect(text).toContain(`\n\`\`\`\n${command}\n\`\`\`\n`)
  })

  it('holds no picture and no HTML, whatever was written in it', () => {
    for (const { text, name } of corpus) expect(loads(safeMarkdown(text)), name).toEqual([])
  })

  it('lets nothing run into what follows', async () => {
    const open = ['```\ncode', '<!-- a', '~~~', '> ```', '- a\n  ```', '<script>', '    x\n```', '[a]: <']
    for (const text of [...open, ...corpus.map(({ text }) => text)]) {
      const last = fromMarkdown(`${safeMarkdown(text)}\n\n## Turn 2\n`).children.at(-1)
      expect(last?.type, JSON.stringify(text.slice(0, 80))).toBe('heading')
    }
    const whole = await write({
      requests: [open.join('\n'), 'two'],
      outputs: [`${'`'.repeat(9)}\n# no heading`],
    })
    const headings = nodes(fromMarkdown(whole)).filter((node) => node.type === 'heading' && node.depth === 2)
    expect(headings).toHaveLength(2)
  })

  it('keeps bodies that are nested without end as they are', () => {
    for (const text of Object.values(nested(5_000))) {
      expect(safeMarkdown(text)).toBe(fenced(text, 'text'))
      expect(htmlOfMarkdown(text)).toBeNull()
    }
  })

  it('makes HTML of what is plain, and words of what is not', () => {
    const html = htmlOfMarkdown(
      '**a** [b](https://x.org/?q=1&r) [c](javascript:x) ![d](http://e.org/f.png) <b>g</b>',
    )
    expect(html).toContain('<strong>a</strong>')
    expect(html).toContain('<a rel="noopener noreferrer" href="https://x.org/?q=1&#x26;r">b</a>')
    expect(html).toContain('<em>c</em>')
    expect(html).toContain('[picture: d http://e.org/f.png]')
    expect(html).toContain('&#x3C;b>')
    const odd = htmlOfMarkdown('[a](<https://x.org/\u202e" onclick="y>)')
    expect(odd).toMatch(/^<p><a rel="noopener noreferrer" href="[^"<>]*">a<\/a><\/p>$/)
    expect(odd).not.toContain('\u202e')
  })
})
