/**
 * How many tokens a picture is, by its size in pixels: the rules that vendors publish, the larger figure where they leave
 * a choice. Knows families by name and reads nothing of a picture but its size.
 */
import { imageSize } from 'image-size'

type Size = { width: number; height: number }
type Rule = (size: Size) => number

/** Of a file that is no picture, or one whose size is not in its head: a page in every rule's better resolution. */
const unknownSize: Size = { width: 1_600, height: 1_200 }
/** Base64 characters of a file's head; cameras put previews of some hundred kilobytes before the size. */
const headChars = 1_000_000

/** `data` is base64 without a data-URL head. */
export const pictureTokens = (data: string, family: string): number => {
  const rule = rules.find(([pattern]) => pattern.test(family.toLowerCase()))?.[1] ?? patches28(1_568, 1_568)
  return Math.ceil(rule(sizeOf(data)))
}

const sizeOf = (data: string): Size => {
  try {
    const { width, height } = imageSize(Buffer.from(data.slice(0, headChars), 'base64'))
    return width > 0 && height > 0 ? { width, height } : unknownSize
  } catch {
    return unknownSize
  }
}

const shrunk = ({ width, height }: Size, factor: number): Size => {
  const by = Math.min(1, factor)
  return { width: width * by, height: height * by }
}

const squares = ({ width, height }: Size, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side)

/** Into 2,048 x 2,048, then the shorter side to 768, then squares of 512. */
const tiles =
  (base: number, tile: number): Rule =>
  (size) => {
    const fits = shrunk(size, 2_048 / Math.max(size.width, size.height))
    const small = shrunk(fits, 768 / Math.min(fits.width, fits.height))
    return base + tile * squares(small, 512)
  }

/** Squares of 32, at most so many; a larger picture is shrunk until it has no more. */
const patches32 =
  (factor: number, most = 1_536): Rule =>
  (size) =>
    Math.min(most, squares(size, 32)) * factor

/** Squares of 28 after the longer side was shrunk to `edge` and all of it to so many squares. */
const patches28 =
  (edge: number, most: number): Rule =>
  (size) =>
    Math.min(most, squares(shrunk(size, edge / Math.max(size.width, size.height)), 28))

/** One square when both sides are at most 384, else squares of 768. */
const crops: Rule = (size) =>
  258 * (Math.max(size.width, size.height) <= 384 ? 1 : Math.max(1, squares(size, 768)))

/**
 * The first that fits. OpenAI publishes base and tile for each of its tile models and a factor for those with patches (for
 * the small ones of GPT-5 its price calculator and its answers say 1.2 and 1.5, its guide more). Gemini 3 takes 1,120
 * for any picture at its usual resolution.
 */
const rules: readonly [RegExp, Rule][] = [
  [/gpt-4o-mini/, tiles(2_833, 5_667)],
  [/gpt-4\.1-mini/, patches32(1.62)],
  [/gpt-4\.1-nano/, patches32(2.46)],
  [/o4-mini/, patches32(1.72)],
  [/gpt-5-mini/, patches32(1.2)],
  [/gpt-5-nano/, patches32(1.5)],
  [/gpt-5(\.1)?(?![.\d])/, tiles(70, 140)],
  [/gpt-([6-9]|5\.[2-9])/, patches32(1.2, 2_500)],
  [/(^|[./-])o[13]/, tiles(75, 150)],
  [/gpt-4/, tiles(85, 170)],
  [/claude-([a-z]+-)?(4[.-][7-9]|[5-9])(?!\d)/, patches28(2_576, 4_784)],
  [/claude/, patches28(1_568, 1_568)],
  [/gemini-([3-9])/, () => 1_120],
  [/gemini|gemma/, crops],
]
