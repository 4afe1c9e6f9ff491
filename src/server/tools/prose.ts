/** Reads the words for the model that stand in the file beside a tool. */
import { readFileSync } from 'node:fs'

/** @param url the tool's `import.meta.url`; `name.ts` has its words in `name.md` */
export const proseBeside = (url: string): string =>
  readFileSync(new URL(url.replace(/\.ts$/, '.md')), 'utf8').trim()
