// Ends a process with the one that started it, also when that one was killed without a word.
// As `--import` it makes any program do so: the program gets SIGTERM, as from a person.
const CHECK_EVERY_MS = 400

/** Calls `onGone` once when the parent of this process is no longer the one it started with. */
export function followParent(onGone) {
  // A person may start a script by hand and leave the shell; npm and our own launchers never leave before us.
  if (process.env.npm_lifecycle_event === undefined && process.env.BATON_HANDED_OVER === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, CHECK_EVERY_MS)
  timer.unref()
}

if (process.execArgv.some((argument) => argument.includes('follow-parent.mjs'))) {
  followParent(() => process.kill(process.pid, 'SIGTERM'))
}
