/** Notices a model that goes round in circles. Pure: it is told each finished call in order. */
import { sha256 } from '../../lib/sha256.ts'
import type { CallOutcome, ProposedCall } from './tool-runner.ts'

/** The same call with the same result in a row. */
const sameResultLimit = 4
/** The same error of the same tool in a row, whatever the arguments. */
const sameErrorLimit = 3

export type StuckDetector = {
  /** A sentence when this call is one too many, else null. */
  see(call: ProposedCall, outcome: CallOutcome): string | null
}

export const createStuckDetector = (): StuckDetector => {
  let result = { key: '', count: 0 }
  let error = { key: '', count: 0 }
  const count = (last: { key: string; count: number }, key: string) =>
    last.key === key ? { key, count: last.count + 1 } : { key, count: 1 }
  return {
    see(call, outcome) {
      // Looking after a running command is waiting, not repeating.
      if (outcome.polled === true || outcome.status === 'interrupted') return null
      result = count(result, hash(call.tool, call.argumentsText, outcome.status, steady(outcome.text)))
      if (outcome.status === 'succeeded') error = { key: '', count: 0 }
      else error = count(error, hash(call.tool, outcome.error?.code ?? '', steady(outcome.text)))
      if (error.key !== '' && error.count >= sameErrorLimit)
        return `${call.tool} failed ${sameErrorLimit} times in a row with the same error.`
      if (result.count >= sameResultLimit)
        return `${call.tool} was called ${sameResultLimit} times in a row with the same arguments and the same result.`
      return null
    },
  }
}

/** Figures that differ from run to run by their nature: times, and the numbers of sessions. */
const steady = (text: string): string =>
  text.replace(/\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds)\b/g, '# s').replace(/\bsession \d+/gi, 'session #')

const hash = (...words: string[]): string => sha256(JSON.stringify(words))
