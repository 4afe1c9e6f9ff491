// Installs what the system lacks, where that is possible (root on Debian or Ubuntu); else says what to install.
import { existsSync, readFileSync } from 'node:fs'
import { run, sleep, tail } from './run.mjs'
import { Stop, step } from './say.mjs'

const ATTEMPTS = 4
const APT = ['-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=300', '-y', '-qq']

/** Program → the Debian packages that bring it. */
const BRINGS = {
  dockerd: ['docker.io', 'cgroupfs-mount', 'ca-certificates'],
  debootstrap: ['debootstrap'],
  chromium: ['chromium', 'fonts-liberation'],
}

export const isRoot = () => process.getuid?.() === 0

/** The full path of a program, also of one in sbin when PATH lacks it. */
export function find(program) {
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    '/usr/sbin',
    '/sbin',
    '/usr/local/sbin',
    '/usr/bin',
  ]
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path))
}

function isDebian() {
  try {
    return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'))
  } catch {
    return false
  }
}

/** Makes sure that each program exists. `why` completes the sentence that a person reads otherwise. */
export async function ensurePrograms(programs, why) {
  const missing = programs.filter((program) => find(program) === undefined)
  if (missing.length === 0) return
  const packages = [...new Set(missing.flatMap((program) => BRINGS[program] ?? [program]))]
  if (!isRoot() || !isDebian() || find('apt-get') === undefined)
    throw new Stop(
      `Baton needs ${missing.join(' and ')} ${why}: install ${packages.join(' ')} and start again.`,
    )
  await step(`installing ${packages.join(', ')}`, async (note) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
    let last = ''
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const update = await run('apt-get', [...APT, 'update'], { env, note })
      const install = await run(
        'apt-get',
        [...APT, '--no-install-recommends', '--fix-missing', 'install', ...packages],
        { env, note },
      )
      last = update.output + install.output
      if (missing.every((program) => find(program) !== undefined)) return
      // A package that was cut off half way keeps every later one from being set up.
      await run('dpkg', ['--configure', '-a'], { env, note })
      if (missing.every((program) => find(program) !== undefined)) return
      note(`attempt ${attempt} failed, trying again`)
      await sleep(attempt * 4000)
    }
    throw new Stop(`apt-get could not install ${packages.join(' ')}:\n${tail(last)}`)
  })
}

/** The browser for the journeys. */
export function chromiumPath() {
  return process.env.CHROMIUM_PATH ?? find('chromium') ?? find('chromium-browser') ?? find('google-chrome')
}
