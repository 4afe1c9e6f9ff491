/**
 * Bytes that passed through and are no longer needed lie outside of the engine's heap, whose collector is in no hurry for
 * them on a machine with much memory: a stream of 700 MB would leave most of a gigabyte behind. Who streams that much asks
 * here now and then.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of buffers, in use or not, below which nothing is done: a collection takes some tens of milliseconds. */
const tolerated = 192 * 1_048_576

let collect: (() => void) | null = null

/** Gives spent buffers back when there are many; true when it did. */
export const giveBackSpent = (most = tolerated): boolean => {
  if (process.memoryUsage().arrayBuffers <= most) return false
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  return true
}
