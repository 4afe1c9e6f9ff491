// What a script must undo when it ends, in reverse order, by itself, by Ctrl-C or by SIGTERM.
const pending = []
let closing

/** Registers one thing to undo. */
export function onClose(name, undo) {
  pending.push({ name, undo })
}

/** Undoes everything once; later calls wait for the first. */
export function closeAll() {
  closing ??= (async () => {
    for (;;) {
      const next = pending.pop()
      if (next === undefined) return
      try {
        await next.undo()
      } catch (error) {
        console.error(`${next.name}: ${error.message}`)
      }
    }
  })()
  return closing
}

/** From now on a signal undoes everything and ends the process with `codeOf(signal)`. */
export function closeOnSignals(codeOf = () => 0, words) {
  let asked = false
  const end = async (signal) => {
    if (asked) return
    asked = true
    if (words !== undefined) console.log(words)
    await closeAll()
    process.exit(codeOf(signal))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(signal))
  // A reader that went away (a closed pipe) is no reason to end half way.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
}
