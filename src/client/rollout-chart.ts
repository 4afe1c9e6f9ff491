/** Numbers of charts: scales, round marks, paths, layers on top of each other. Pure; it draws nothing. */

export type Layer = { name: string; colour: string; values: readonly number[] }

/** A round top for an axis from 0 and the marks below it, three to five of them. */
export function roundMarks(most: number): { top: number; marks: number[] } {
  if (!(most > 0)) return { top: 1, marks: [0] }
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power
  const top = Math.ceil(most / step) * step
  const marks: number[] = []
  for (let mark = 0; mark <= top + step / 1_000; mark += step) marks.push(Number(mark.toPrecision(12)))
  return { top, marks }
}

/** Each layer on top of the ones before it: where it begins and ends at each point. */
export function stacked(layers: readonly Layer[], points: number): { from: number[]; to: number[] }[] {
  let below = new Array<number>(points).fill(0)
  return layers.map(({ values }) => {
    const from = below
    const to = from.map((base, at) => base + (values[at] ?? 0))
    below = to
    return { from, to }
  })
}

type Place = { x(at: number): number; y(value: number): number }

const fixed = (value: number): string => value.toFixed(1)

/** A line through points; steps hold their value until the next. */
export const linePath = (values: readonly number[], { x, y }: Place): string =>
  values.map((value, at) => `${at === 0 ? 'M' : 'L'}${fixed(x(at))} ${fixed(y(value))}`).join('')

/** The area between two rows of values. */
export function areaPath(from: readonly number[], to: readonly number[], place: Place): string {
  if (to.length === 0) return ''
  const up = linePath(to, place)
  const down = from
    .map((value, at) => `L${fixed(place.x(at))} ${fixed(place.y(value))}`)
    .reverse()
    .join('')
  return `${up}${down}Z`
}

/** The value of a rising sum at each point as what was added since the point before. */
export const differences = (sums: readonly number[]): number[] =>
  sums.map((sum, at) => sum - (at === 0 ? 0 : (sums[at - 1] ?? 0)))
