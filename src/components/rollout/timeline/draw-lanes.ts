/** Draws the lanes of a rollout on a canvas: spans as bars, windows as bands, notable things as signs. Knows no React. */
import { type Axis, marksOf, type Sight, toX } from '../../../client/rollout-axis.ts'
import type { LaneName } from '../../../client/rollout-store.ts'
import type { UnitWord } from '../../../lib/format.ts'
import type { RolloutSkeleton, RolloutSpans } from '../../../protocol/rollout.ts'

export const laneHeight = 17
export const axisHeight = 18

/** Colours as the theme has them, resolved: a canvas knows no variables. */
export type Paint = Record<
  | 'text'
  | 'faint'
  | 'line'
  | 'lineStrong'
  | 'brand'
  | 'brandSoft'
  | 'bad'
  | 'wait'
  | 'good'
  | 'ground'
  | 'subtle'
  | 'tool',
  string
>

const variables: Record<keyof Paint, string> = {
  text: 'var(--text-2)',
  faint: 'var(--text-3)',
  line: 'var(--line)',
  lineStrong: 'var(--line-strong)',
  brand: 'var(--brand)',
  brandSoft: 'color-mix(in oklab, var(--brand) 22%, var(--bg))',
  bad: 'var(--bad)',
  wait: 'var(--wait)',
  good: 'var(--good)',
  ground: 'var(--bg)',
  subtle: 'var(--subtle)',
  tool: 'color-mix(in oklab, var(--ansi-6) 80%, var(--bg))',
}

/** Reads the colours off an element. */
export function readPaint(probe: HTMLElement): Paint {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      probe.style.color = value
      return [name, getComputedStyle(probe).color]
    }),
  ) as Paint
}

export type Scene = {
  skeleton: RolloutSkeleton
  lanes: readonly LaneName[]
  axis: Axis
  sight: Sight
  width: number
  paint: Paint
  font: string
  /** Milliseconds from the rollout's begin that are selected; null = nothing is. */
  selected: { fromMs: number; toMs: number } | null
  lane: LaneName
  hover: { lane: LaneName; at: number } | null
  windowWord: (number: number) => string
  unitWord: UnitWord
}

const clock = (ms: number, roundMs: number, word: UnitWord): string => {
  const seconds = Math.floor(ms / 1_000)
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  if (roundMs < 1_000)
    return `${m > 0 ? `${word('m', String(m))} ` : ''}${word('s', (s + (ms % 1_000) / 1_000).toFixed(roundMs < 10 ? 3 : roundMs < 100 ? 2 : 1))}`
  const parts = [
    d > 0 ? word('d', String(d)) : '',
    h > 0 ? word('h', String(h)) : '',
    m > 0 ? word('m', String(m)) : '',
    s > 0 ? word('s', String(s)) : '',
  ].filter(Boolean)
  return parts.slice(0, 2).join(' ') || '0'
}

/** Draws everything. `context` is scaled to CSS pixels. */
export function drawLanes(context: CanvasRenderingContext2D, scene: Scene): void {
  const { lanes, width, paint, axis, sight, skeleton } = scene
  const height = axisHeight + lanes.length * laneHeight
  const px = (ms: number): number => ((toX(axis, ms) - sight.from) / (sight.to - sight.from)) * width
  context.clearRect(0, 0, width, height)
  context.font = scene.font
  context.textBaseline = 'middle'
  drawFolds(context, scene, height)
  drawTurns(context, scene, px, height)
  drawAxis(context, scene)
  lanes.forEach((lane, row) => {
    const y = axisHeight + row * laneHeight
    if (lane === scene.lane) {
      context.fillStyle = paint.subtle
      context.globalAlpha = 0.6
      context.fillRect(0, y, width, laneHeight)
      context.globalAlpha = 1
    }
    if (lane === 'windows') drawWindows(context, scene, px, y)
    else if (lane === 'marks') drawMarks(context, scene, px, y)
    else drawSpans(context, scene, skeleton.lanes[lane], lane, y, px)
  })
  drawSelection(context, scene, px, height)
}

function drawFolds(
  context: CanvasRenderingContext2D,
  { axis, sight, width, paint }: Scene,
  height: number,
): void {
  for (const piece of axis.pieces) {
    if (!piece.folded || piece.x > sight.to || piece.x + piece.width < sight.from) continue
    const from = ((piece.x - sight.from) / (sight.to - sight.from)) * width
    const wide = Math.max(1, (piece.width / (sight.to - sight.from)) * width)
    context.fillStyle = paint.subtle
    context.fillRect(from, axisHeight, wide, height - axisHeight)
    if (wide < 5) continue
    context.strokeStyle = paint.lineStrong
    context.lineWidth = 1
    context.beginPath()
    const middle = from + wide / 2
    for (let y = axisHeight + 2; y < height - 4; y += 8) {
      context.moveTo(middle - 1.5, y + 4)
      context.lineTo(middle + 1.5, y)
    }
    context.stroke()
  }
}

function drawTurns(
  context: CanvasRenderingContext2D,
  scene: Scene,
  px: (ms: number) => number,
  height: number,
): void {
  const { skeleton, paint, width } = scene
  context.fillStyle = paint.line
  let last = -10
  for (const ms of skeleton.turns.startMs) {
    const x = Math.round(px(ms))
    if (x < 0 || x - last < 3) continue
    if (x > width) break
    context.fillRect(x, axisHeight, 1, height - axisHeight)
    last = x
  }
}

function drawAxis(context: CanvasRenderingContext2D, { axis, sight, width, paint, unitWord }: Scene): void {
  context.fillStyle = paint.line
  context.fillRect(0, axisHeight - 0.5, width, 1)
  context.fillStyle = paint.faint
  for (const { ms, x, roundMs } of marksOf(axis, sight, 84 / width)) {
    const at = ((x - sight.from) / (sight.to - sight.from)) * width
    context.fillRect(Math.round(at), axisHeight - 4, 1, 4)
    const words = clock(ms, roundMs, unitWord)
    if (at + 4 + context.measureText(words).width < width) context.fillText(words, at + 4, axisHeight / 2)
  }
}

function drawSpans(
  context: CanvasRenderingContext2D,
  { paint, hover, width }: Scene,
  spans: RolloutSpans,
  lane: LaneName,
  y: number,
  px: (ms: number) => number,
): void {
  const plain =
    lane === 'steps'
      ? paint.brand
      : lane === 'waits'
        ? paint.wait
        : lane === 'agents'
          ? paint.good
          : paint.tool
  const [top, tall] = [y + 3, laneHeight - 6]
  let until = Number.NEGATIVE_INFINITY
  let before = ''
  for (let at = 0; at < spans.startMs.length; at += 1) {
    const start = spans.startMs[at] ?? 0
    const from = px(start)
    if (from > width) break
    const to = px(start + (spans.durationMs[at] ?? 0))
    if (to < 0) continue
    const flag = spans.flag[at]
    const colour = flag === 1 ? paint.bad : plain
    const wide = Math.max(1.5, to - from)
    // What falls on the same pixels is drawn once, unless it has more to say.
    if (from + wide <= until && colour === before) continue
    const lit = hover !== null && hover.lane === lane && hover.at === at
    context.fillStyle = colour
    context.globalAlpha = lit ? 1 : 0.82
    // A hair between neighbours, where there is room.
    context.fillRect(from, top, wide > 4 ? wide - 1 : wide, tall)
    if (flag === 2) {
      context.globalAlpha = 0.35
      context.fillRect(from + wide, top, 6, tall)
    }
    context.globalAlpha = 1
    if (lit) {
      context.strokeStyle = paint.text
      context.strokeRect(from - 0.5, top - 1, Math.max(wide, 2) + 1, tall + 2)
    }
    until = from + wide
    before = colour
  }
}

function drawWindows(
  context: CanvasRenderingContext2D,
  scene: Scene,
  px: (ms: number) => number,
  y: number,
): void {
  const { skeleton, paint, axis, width, windowWord, hover } = scene
  skeleton.windows.forEach((window, at) => {
    const from = px(window.startMs)
    const to = px(skeleton.windows[at + 1]?.startMs ?? axis.lastMs)
    if (to < 0 || from > width) return
    const wide = Math.max(1, to - from)
    const lit = hover !== null && hover.lane === 'windows' && hover.at === at
    context.fillStyle = paint.brandSoft
    context.globalAlpha = at % 2 === 0 || lit ? 1 : 0.6
    context.fillRect(from, y + 2, wide > 3 ? wide - 1 : wide, laneHeight - 4)
    context.globalAlpha = 1
    context.fillStyle = paint.brand
    context.fillRect(from, y + 2, 2, laneHeight - 4)
    const words = windowWord(window.index + 1)
    const shown =
      wide > context.measureText(words).width + 12 ? words : wide > 22 ? String(window.index + 1) : ''
    if (shown === '') return
    context.fillStyle = paint.text
    context.fillText(shown, Math.max(from, 0) + 6, y + laneHeight / 2 + 0.5)
  })
}

/** Each kind has a shape of its own, so that colour says nothing alone. */
function drawMarks(
  context: CanvasRenderingContext2D,
  scene: Scene,
  px: (ms: number) => number,
  y: number,
): void {
  const { skeleton, paint, width } = scene
  const middle = y + laneHeight / 2
  for (const mark of skeleton.notable) {
    const ms = timeOfIdx(skeleton, mark.idx)
    const x = px(ms)
    if (x < -6 || x > width + 6) continue
    context.beginPath()
    if (mark.type === 'error') {
      context.strokeStyle = paint.bad
      context.lineWidth = 1.8
      context.moveTo(x - 3, middle - 3)
      context.lineTo(x + 3, middle + 3)
      context.moveTo(x + 3, middle - 3)
      context.lineTo(x - 3, middle + 3)
      context.stroke()
    } else if (mark.type === 'hand_over') {
      context.fillStyle = paint.brand
      context.moveTo(x, middle - 4)
      context.lineTo(x + 4, middle)
      context.lineTo(x, middle + 4)
      context.lineTo(x - 4, middle)
      context.fill()
    } else if (mark.type === 'wait') {
      context.fillStyle = paint.wait
      context.fillRect(x - 3, middle - 4, 2, 8)
      context.fillRect(x + 1, middle - 4, 2, 8)
    } else {
      context.strokeStyle = mark.type === 'restart' ? paint.text : paint.wait
      context.lineWidth = 1.6
      context.arc(x, middle, 3.2, 0, mark.type === 'restart' ? Math.PI * 1.6 : Math.PI * 2)
      context.stroke()
    }
  }
}

function drawSelection(
  context: CanvasRenderingContext2D,
  scene: Scene,
  px: (ms: number) => number,
  height: number,
): void {
  const { selected, paint } = scene
  if (selected === null) return
  const from = px(selected.fromMs)
  const wide = Math.max(2, px(selected.toMs) - from)
  context.fillStyle = paint.brand
  context.globalAlpha = 0.14
  context.fillRect(from, axisHeight, wide, height - axisHeight)
  context.globalAlpha = 1
  context.fillRect(Math.round(from) - 0.5, 2, 1.5, height - 2)
  context.beginPath()
  context.moveTo(from - 4, 1)
  context.lineTo(from + 4, 1)
  context.lineTo(from, 7)
  context.fill()
}

/** When a row was, as near as the columns of the skeleton say: its own span, else the last one before it. */
export function timeOfIdx(skeleton: RolloutSkeleton, idx: number): number {
  let best = 0
  for (const { idx: column, startMs } of [skeleton.lanes.steps, skeleton.lanes.tools, skeleton.turns]) {
    let [low, high] = [0, column.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((column[middle] ?? 0) <= idx) low = middle + 1
      else high = middle
    }
    best = Math.max(best, startMs[low - 1] ?? 0)
  }
  return best
}
