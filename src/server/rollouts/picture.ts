/**
 * The stacked picture of what requests consisted of over the steps of a rollout: tokens by kind of block.
 */
import type { WindowPicture } from '../../protocol/rollout.ts'
import type { RolloutPictureRow } from '../store/rollout-types.ts'
import type { Store } from '../store/types.ts'

const maxPoints = 500
/** Kinds of their own; the smallest of more are one kind, `other`. */
const maxKinds = 16

/** The kinds that weigh most over all points. */
const kindsOf = (rows: readonly RolloutPictureRow[]): string[] => {
  const weight = new Map<string, number>()
  for (const { kind, tokens } of rows) weight.set(kind, (weight.get(kind) ?? 0) + tokens)
  const kinds = [...weight].sort((a, b) => b[1] - a[1]).map(([kind]) => kind)
  if (kinds.length <= maxKinds) return kinds
  return [...kinds.filter((kind) => kind !== 'other').slice(0, maxKinds - 1), 'other']
}

/** `steps`: how many the rollout has. */
export const pictureOf = async (
  { rollouts }: Pick<Store, 'rollouts'>,
  threadId: string,
  steps: number,
): Promise<WindowPicture> => {
  const [rows, limits] = await Promise.all([
    rollouts.picture(threadId, Math.max(1, Math.ceil(steps / (maxPoints - 1)))),
    rollouts.limits(threadId),
  ])
  const kinds = kindsOf(rows)
  const picture: WindowPicture = {
    idx: [],
    step: [],
    windowIndex: [],
    limit: [],
    kinds,
    tokens: kinds.map(() => []),
  }
  let place = -1
  let last = -1
  for (const { idx, step, windowId, windowIndex, kind, tokens } of rows) {
    if (idx !== last) {
      last = idx
      place += 1
      picture.idx.push(idx)
      picture.step.push(step)
      picture.windowIndex.push(windowIndex)
      picture.limit.push(limits.get(windowId) ?? 0)
      for (const column of picture.tokens) column.push(0)
    }
    const known = kinds.indexOf(kind)
    const column = picture.tokens[known < 0 ? kinds.length - 1 : known]
    if (column) column[place] = (column[place] ?? 0) + tokens
  }
  return picture
}
