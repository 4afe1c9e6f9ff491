/**
 * What tells who somebody is: e-mail addresses, and the names in paths of home folders. Cut on request.
 */
import type { Found } from './find.ts'

const mail = /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])/g
const home =
  /(?:\/home\/|\/Users\/|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/))([^\s/\\:"'`<>|*?(){}[\],;]{1,64})/g
/** Names of folders and accounts that are nobody's. */
const nobody = new Set([
  'agent',
  'Shared',
  'Public',
  'user',
  'runner',
  'node',
  'ubuntu',
  'linuxbrew',
  'git',
  '...',
])
const noMail = /^(?:git|noreply|no-reply)@|@(?:example\.(?:com|org|net)|users\.noreply\.github\.com)$/i

export const findPersonal = (text: string): Found[] => {
  const found: Found[] = []
  if (text.includes('@'))
    for (const match of text.matchAll(mail))
      if (!noMail.test(match[0]))
        found.push({ start: match.index, end: match.index + match[0].length, kind: 'email' })
  for (const match of text.matchAll(home)) {
    const name = match[1] ?? ''
    const end = match.index + match[0].length
    if (!nobody.has(name) && !name.startsWith('$'))
      found.push({ start: end - name.length, end, kind: 'home-name' })
  }
  return found
}

/** For a test that counts their steps. */
export const personalExpressions = { mail, home }
