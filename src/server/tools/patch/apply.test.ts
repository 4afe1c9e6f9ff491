import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { memoryFiles } from '../../../../test/setup/memory-files.ts'
import { applyPatch } from './apply.ts'

const cwd = '/workspace'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (from: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(from)

const run = async (tree: Record<string, string | Uint8Array>, patch: string, folders?: string[]) => {
  const start = Object.entries(tree).map(([path, content]) => [
    `${cwd}/${path}`,
    typeof content === 'string' ? bytes(content) : content,
  ])
  const fs = memoryFiles(Object.fromEntries(start))
  const result = await applyPatch(patch, fs, folders ? { cwd, folders } : { cwd })
  const after: Record<string, string> = {}
  for (const [path, content] of fs.files) after[path.slice(cwd.length + 1)] = text(content)
  return { ...result, tree: after }
}

const update = (body: string): string => `*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`

type Case = {
  input: Record<string, string>
  patch: string
  codex: { exit: number; stdout: string; stderr: string; tree: Record<string, string> }
}
const cases = casesIn('apply-patch', 'cases')

describe.skipIf(!cases.present)('patches with a known outcome (needs CASES_DIR)', () => {
  const names = cases.names('.json')
  it('are there', () => expect(names).not.toEqual([]))
  it.each(names)('%s', async (name) => {
    const { input, patch, codex } = cases.json<Case>(name)
    const result = await run(input, patch)
    expect({
      exit: result.exitCode,
      stdout: result.stdout,
      stderr: result.stderr.replaceAll(cwd, '<CWD>'),
      tree: result.tree,
    }).toEqual(codex)
  })
})

describe('where a change stands', () => {
  it.each([
    ['blanks at the end', 'a  \nb\n', ' a\n-b\n+c', 'a  \nc\n'],
    ['blanks on both sides', '\ta\n  b\n', ' a\n-b\n+c', '\ta\nc\n'],
    ['typographic signs', 'x\n“a” – b\u00a0c\n', '-"a" - b c\n+y', 'x\ny\n'],
    ['an anchor', 'f:\n 1\ng:\n 1\n', '@@ g:\n- 1\n+ 2', 'f:\n 1\ng:\n 2\n'],
    ['the end of the file', 'a\nb\na\n', '@@\n-a\n+c\n*** End of File', 'a\nb\nc\n'],
    ['an empty line too many', 'a\nb\n', '@@\n a\n-b\n+c\n', 'a\nc\n'],
    ['nothing but new lines', 'a', '@@\n+b', 'a\nb\n'],
  ])('is found by %s', async (_name, before, body, after) => {
    expect((await run({ f: before }, update(body))).tree).toEqual({ f: after })
  })

  it('is refused when the order is not the file’s', async () => {
    const result = await run({ f: 'a\nb\n' }, update('@@\n-b\n+B\n@@\n-a\n+A'))
    expect(result).toMatchObject({ exitCode: 1, tree: { f: 'a\nb\n' }, files: [] })
  })
})

describe('bytes that are not the change', () => {
  it.each([
    ['CRLF', 'a\r\nb\r\n', '-b\n+c\n+d', 'a\r\nc\r\nd\r\n'],
    ['a CRLF patch on an LF file', 'a\nb\n', '-b\r\n+c', 'a\nc\n'],
    ['the neighbours’ end in a mixed file', 'a\nb\r\nc\r\nd\n', ' b\n+x\n c', 'a\nb\r\nx\r\nc\r\nd\n'],
    ['the first end where neighbours differ', 'a\r\nb\nc\n', ' a\n+x\n b', 'a\r\nx\r\nb\nc\n'],
    ['a byte order mark', '\ufeffa\nb\n', '-a\n+c', '\ufeffc\nb\n'],
  ])('stay: %s', async (_name, before, body, after) => {
    expect((await run({ f: before }, update(`@@\n${body}`))).tree).toEqual({ f: after })
  })

  it('stay when the file is no text, and the place of the wrong byte is told', async () => {
    const result = await run({ f: new Uint8Array([0x61, 0xe2, 0x82, 0x0a]) }, update('-a\n+b'))
    expect(result.stderr).toContain('invalid utf-8 sequence of 2 bytes from index 1')
  })

  it('stay when a file is moved onto itself', async () => {
    const patch = '*** Begin Patch\n*** Update File: f\n*** Move to: f\n@@\n-a\n+b\n*** End Patch'
    expect((await run({ f: 'a\n' }, patch)).tree).toEqual({ f: 'b\n' })
  })
})

describe('folders', () => {
  it.each(['/etc/passwd', '../x', 'a/../../x', '/workspace-other/x'])('%s is outside', async (path) => {
    const result = await run(
      {},
      `*** Begin Patch\n*** Add File: ok\n+a\n*** Add File: ${path}\n+a\n*** End Patch`,
      [cwd],
    )
    expect(result).toMatchObject({ exitCode: 1, tree: {}, files: [] })
    expect(result.stderr).toContain('Refused')
  })
})

it('counts lines', async () => {
  const patch =
    '*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n a\n-b\n+c\n+d\n*** Add File: n\n+x\n*** Delete File: h\n*** End Patch'
  expect((await run({ f: 'a\nb\n', h: '1\n2\n' }, patch)).files).toEqual([
    { path: 'f', change: 'moved', movedTo: 'g', additions: 2, deletions: 1 },
    { path: 'n', change: 'added', additions: 1, deletions: 0 },
    { path: 'h', change: 'deleted', additions: 0, deletions: 2 },
  ])
})

describe('any file', () => {
  const line = fc.stringMatching(/^[ -~é—]{0,12}$/)
  const end = fc.constantFrom('\n', '\r\n')
  it('becomes what a patch of whole lines says, whatever the line ends', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ text: line, end, edit: fc.constantFrom('keep', 'remove', 'replace', 'after') }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
        async (lines) => {
          const before = lines.map(({ text: content, end: stop }) => content + stop).join('')
          const body: string[] = []
          const after: string[] = []
          for (const { text: content, edit } of lines) {
            body.push(edit === 'keep' || edit === 'after' ? ` ${content}` : `-${content}`)
            if (edit === 'keep' || edit === 'after') after.push(content)
            if (edit === 'replace' || edit === 'after') {
              body.push(`+new ${content}`)
              after.push(`new ${content}`)
            }
          }
          const result = await run({ f: before }, update(`@@\n${body.join('\n')}\n*** End of File`))
          expect(result.stderr).toBe('')
          expect(result.tree.f?.split(/\r\n|\n/).slice(0, -1) ?? []).toEqual(after)
        },
      ),
      { numRuns: 100 },
    ))

  it('never makes the engine throw', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            '*** Begin Patch',
            '*** End Patch',
            '*** Update File: f',
            '*** Add File: g',
            '*** Delete File: f',
            '*** Move to: h',
            '*** End of File',
            '@@',
            '@@ a',
            ' a',
            '-a',
            '+b',
            '',
          ),
          { maxLength: 12 },
        ),
        async (lines) => {
          const result = await run(
            { f: 'a\nb\na\n' },
            ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
          )
          expect(result.exitCode === 0).toBe(result.stderr === '')
        },
      ),
      { numRuns: 100 },
    ))
})
