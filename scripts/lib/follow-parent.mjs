// Ends a process with the one that started it, also when that one was killed without a word.
// As `--import` it makes any program do so: the program gets SIGTERM, as from a person.
import { readFileSync } from 'node:fs'

const CHECK_EVERY_MS = 400

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** npm starts scripts through a shell that would outlive a killed npm, so its parent is watched as well. */
const family = () => [process.ppid, process.env.npm_lifecycle_event ? parentOf(process.ppid) : undefined]

/** Calls `onGone` once when the process that started this one is gone. */
export function followParent(onGone) {
  // A person may start a script by hand and leave the shell; npm and our own launchers never leave before us.
  if (process.env.npm_lifecycle_event === undefined && process.env.BATON_HANDED_OVER === undefined) return
  const [parent, above] = family()
  const timer = setInterval(() => {
    const [parentNow, aboveNow] = family()
    if (parentNow === parent && aboveNow === above) return
    clearInterval(timer)
    onGone()
  }, CHECK_EVERY_MS)
  timer.unref()
}

if (process.execArgv.some((argument) => argument.includes('follow-parent.mjs'))) {
  followParent(() => process.kill(process.pid, 'SIGTERM'))
}
