// What the scripts tell a person: a line when a step begins, one every 15 seconds while it lasts, one when it ends.
const PROGRESS_EVERY_MS = 15_000

/** A fault with a sentence that says what to do; shown without a stack. */
export class Stop extends Error {}

let write = console.log

export function say(text) {
  write(text)
}

/** From now on everything said goes to stderr: stdout is for results that a program reads. */
export function keepStdoutForResults() {
  write = console.error
}

/** `3.2 s`, `2 min 5 s`. */
export function duration(ms) {
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/**
 * Runs one step of a script. `work` gets `note(text)`, whose latest text is shown with the progress lines.
 * A quiet step says nothing unless it lasts longer than a progress interval.
 */
export async function step(title, work, { quiet = false } = {}) {
  const began = performance.now()
  let latest = ''
  let shown = !quiet
  if (!quiet) say(`· ${title}`)
  const timer = setInterval(() => {
    shown = true
    const detail = latest === '' ? '' : `: ${latest.slice(0, 140)}`
    say(`  … ${title}, ${duration(performance.now() - began)}${detail}`)
  }, PROGRESS_EVERY_MS)
  timer.unref()
  try {
    const result = await work((text) => {
      latest = text
    })
    const took = performance.now() - began
    if (shown && took > 1000) say(`  ✓ ${title} (${duration(took)})`)
    return result
  } finally {
    clearInterval(timer)
  }
}

/** Runs a script's main function; a Stop becomes its sentence and exit code 1. */
export async function main(work) {
  try {
    const code = await work()
    process.exit(code ?? 0)
  } catch (error) {
    if (error instanceof Stop) console.error(`\n${error.message}`)
    else console.error(error)
    process.exit(1)
  }
}
