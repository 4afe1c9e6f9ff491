/**
 * A backtracking matcher that counts its steps, for the expressions that texts from outside are held against: literals,
 * classes, groups, alternatives, counted repetitions and look-behind of one character. What it cannot read it refuses, so
 * an expression that grows beyond this is noticed.
 */

type Node =
  | { type: 'char'; test: RegExp }
  | { type: 'group'; options: Node[][]; capture: boolean }
  | { type: 'repeat'; node: Node; least: number; most: number; lazy: boolean }
  | { type: 'edge'; test: (text: string, at: number) => boolean }

const parse = (source: string, flags: string): Node[][] => {
  let at = 0
  const classFlags = flags.replace(/[^iu]/g, '')
  const char = (pattern: string): Node => ({
    type: 'char',
    test: new RegExp(`^${pattern}$`, classFlags.includes('s') ? classFlags : `${classFlags}s`),
  })
  const atom = (): Node => {
    const next = source.charAt(at)
    if (next === '[') {
      let end = at + 1
      while (source.charAt(end) !== ']') end += source.charAt(end) === '\\' ? 2 : 1
      const node = char(source.slice(at, end + 1))
      at = end + 1
      return node
    }
    if (source.startsWith('\\b', at)) {
      at += 2
      const isWord = (text: string, place: number): boolean => /\w/.test(text.charAt(place))
      return { type: 'edge', test: (text, place) => isWord(text, place - 1) !== isWord(text, place) }
    }
    if (next === '\\') {
      const length = /^\\(?:u[0-9a-f]{4}|x[0-9a-f]{2})/i.exec(source.slice(at))?.[0].length ?? 2
      const node = char(source.slice(at, at + length))
      at += length
      return node
    }
    if (next === '(') {
      const head = /^\((?:\?:|\?<!|\?!)?/.exec(source.slice(at))?.[0] ?? '('
      at += head.length
      const options = alternatives()
      at += 1
      const isAhead = head === '(?!'
      if (isAhead || head === '(?<!') {
        const [only] = options.flat()
        if (options.length !== 1 || only?.type !== 'char') throw new Error(`cannot read ${source}`)
        return {
          type: 'edge',
          test: (text, place) => !only.test.test(text.charAt(isAhead ? place : place - 1)),
        }
      }
      return { type: 'group', options, capture: head === '(' }
    }
    if ('^$*+?{|)'.includes(next)) throw new Error(`cannot read ${source} at ${at}`)
    at += 1
    return char(next === '.' ? '[^\\n]' : next.replace(/[-/]/g, '\\$&'))
  }
  const alternatives = (): Node[][] => {
    const options: Node[][] = [[]]
    while (at < source.length && source.charAt(at) !== ')') {
      if (source.charAt(at) === '|') {
        options.push([])
        at += 1
        continue
      }
      const node = atom()
      const count = /^(?:\{(\d+)(?:(,)(\d*))?\}|([*+?]))(\?)?/.exec(source.slice(at))
      if (!count) {
        options.at(-1)?.push(node)
        continue
      }
      at += count[0].length
      const sign = count[4]
      const least = sign === undefined ? Number(count[1]) : sign === '+' ? 1 : 0
      const top = count[2] === undefined ? count[1] : count[3]
      const most =
        sign === '?' ? 1 : sign !== undefined || top === '' ? Number.POSITIVE_INFINITY : Number(top)
      options.at(-1)?.push({ type: 'repeat', node, least, most, lazy: count[5] !== undefined })
    }
    return options
  }
  const options = alternatives()
  if (at < source.length) throw new Error(`cannot read ${source} at ${at}`)
  return options
}

type Rest = (at: number) => number

/** Steps that one try of the expression at a place takes, whether it matches or not, and where it would end. */
export const countedMatch = (
  { source, flags }: RegExp,
  text: string,
): ((start: number) => { end: number; steps: number }) => {
  const options = parse(source, flags)
  let steps = 0
  const sequence = (nodes: readonly Node[], from: number, at: number, rest: Rest): number => {
    const node = nodes[from]
    return node === undefined ? rest(at) : one(node, at, (next) => sequence(nodes, from + 1, next, rest))
  }
  /** Repetitions of one character, which are nearly all, without a call for each. */
  const run = (
    node: Extract<Node, { type: 'char' }>,
    least: number,
    most: number,
    at: number,
    rest: Rest,
  ): number => {
    let count = 0
    while (count < most && at + count < text.length && node.test.test(text.charAt(at + count))) {
      steps += 1
      count += 1
    }
    for (; count >= least; count -= 1) {
      steps += 1
      const end = rest(at + count)
      if (end >= 0) return end
    }
    return -1
  }
  const one = (node: Node, at: number, rest: Rest): number => {
    steps += 1
    if (node.type === 'edge') return node.test(text, at) ? rest(at) : -1
    if (node.type === 'char') return at < text.length && node.test.test(text.charAt(at)) ? rest(at + 1) : -1
    if (node.type === 'group') {
      for (const option of node.options) {
        const end = sequence(option, 0, at, rest)
        if (end >= 0) return end
      }
      return -1
    }
    const { node: inner, least, most } = node
    if (inner.type === 'char' && !node.lazy) return run(inner, least, most, at, rest)
    const again = (count: number, from: number): number => {
      const more = (): number =>
        count < most ? one(inner, from, (next) => (next === from ? -1 : again(count + 1, next))) : -1
      if (count < least) return more()
      if (node.lazy) {
        const end = rest(from)
        return end >= 0 ? end : more()
      }
      const end = more()
      return end >= 0 ? end : rest(from)
    }
    return again(0, at)
  }
  return (start) => {
    steps = 0
    const end = one({ type: 'group', options, capture: false }, start, (at) => at)
    return { end, steps }
  }
}
