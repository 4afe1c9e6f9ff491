/** How the policy reads: words of a question, the line of a text that answers it, what is worth keeping of a text. */

/** Words that say nothing about what is asked. */
const empty = new Set(
  'question a an and are as at be been by did do does for from had has have how in is it its many much not now of on or say so than that the their there they this to was were what when where which who why will with'.split(
    ' ',
  ),
)

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*/gu) ?? []).map((word) =>
    word.replace(/[./-]+$/, ''),
  )

/** What a question is about, in its order, each word once. */
export const keyWords = (question: string): string[] => [
  ...new Set(wordsOf(question).filter((word) => word.length > 1 && !empty.has(word))),
]

/** Words that look like names of things, as they are written in the question. */
export const namesIn = (question: string): string[] =>
  (question.match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*[\p{L}\p{N}]/gu) ?? []).filter((word) => /[\d._/]/.test(word))

/** Text that was written into JSON has its line breaks as two characters. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll('\\n', '\n')
    .split(/\n|(?<=[.!?])\s+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

const isListed = (line: string): boolean => /^(- |\[.\] |\d+\. )/.test(line)

/** Of a question's words, this share must be in a line that is taken for an answer. */
const enough = 0.7
const listLines = 60
const answerChars = 2_500

/**
 * The line that best answers the question, with the list that it announces; texts that come later win. Null when none is
 * about the question. Knows nothing of what is right.
 */
export const bestLine = (texts: readonly string[], question: string): string | null => {
  const keys = keyWords(question)
  const asksNumber = /how many|which port|what number/i.test(question)
  let best: { score: number; answer: string } | null = null
  for (const text of texts) {
    const lines = linesOf(text)
    let title = new Set<string>()
    for (const [at, line] of lines.entries()) {
      const own = new Set(wordsOf(line))
      const listed = isListed(line)
      if (!listed) title = own
      if (line.endsWith('?') || question.includes(line)) continue
      if (!keys.some((key) => own.has(key))) continue
      if (asksNumber && ![...own].some((word) => /^\d+$/.test(word) && !keys.includes(word))) continue
      const score = keys.filter((key) => own.has(key) || (listed && title.has(key))).length / keys.length
      if (score < enough || (best !== null && score < best.score)) continue
      const rest = line.endsWith(':') ? lines.slice(at + 1, at + 1 + listLines) : []
      const end = rest.findIndex((each) => !isListed(each))
      const answer = [line, ...(end < 0 ? rest : rest.slice(0, end))].join('\n')
      best = { score, answer: answer.slice(0, answerChars) }
    }
  }
  return best?.answer ?? null
}

const striking =
  /\b(from now on|never|always|rule|decision|decided|rejected|because|failed|failure|error|listening|port|remember|approve|order of|next file)\b/i
const keptLines = 8
const keptChars = 240

/** Lines that a careful reader notes down: rules, decisions, failures, ports; with the list that one announces. */
export const worthKeeping = (text: string): string[] => {
  const lines = linesOf(text)
  const kept: string[] = []
  for (const [at, line] of lines.entries()) {
    if (!striking.test(line) || line.endsWith('?') || line.length > keptChars) continue
    kept.push(line)
    for (let next = at + 1; line.endsWith(':') && isListed(lines[next] ?? ''); next += 1)
      kept.push(lines[next] ?? '')
    if (kept.length >= keptLines) break
  }
  return kept
}

/** Where a line is noted down. */
export const noteFor = (line: string): string => {
  if (/\b(rule|never|always|approve)\b/i.test(line)) return 'rules.md'
  if (/\b(decision|decided|rejected|because)\b/i.test(line)) return 'decisions.md'
  if (/\b(failed|failure|error)\b/i.test(line)) return 'failures.md'
  return 'facts.md'
}
