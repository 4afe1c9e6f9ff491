/**
 * The generated tasks: one of each kind, the same for the same seed. Every fact bears a random word or number, so that
 * nothing but its own place can give it. Knows nothing of how a model answers.
 */
import { amid, noise, type Random, randomOf } from './random.ts'
import { Task, type TaskInput } from './task.ts'

type Kind = (random: Random) => TaskInput
const opening = { say: 'Please run `cat README.md` to begin with.', fill: 0 }

const numberRead: Kind = ({ number }) => {
  const [rows, doubles] = [number(10_000, 99_999), number(10_000, 99_999)]
  return {
    task: 'number-read',
    commands: {
      'npm run import': {
        output: amid(rows, 800, `import finished: ${rows} rows imported from customers.csv`),
      },
      'npm run dedupe': { output: amid(doubles, 800, `${doubles} duplicates removed from customers.csv`) },
    },
    turns: [{ say: 'Please run `npm run import` and then `npm run dedupe`.' }],
    questions: [
      { ask: 'How many rows were imported from customers.csv?', answer: [String(rows)] },
      { ask: 'How many duplicates were removed from customers.csv?', answer: [String(doubles)] },
    ],
  }
}

const decision: Kind = ({ number, word }) => {
  const [fast, slow] = [`stripe-${word()}`, `shard-${word()}`]
  const [few, many] = [number(20, 60), number(70, 120)]
  return {
    task: 'decision',
    commands: {
      'npm run bench shard': { output: `candidate ${slow}: ${many} ms\n` },
      'npm run bench stripe': { output: `candidate ${fast}: ${few} ms\n` },
    },
    turns: [
      opening,
      {
        say: 'Please run `npm run bench shard` and then `npm run bench stripe`. Then decide on the cache layout, and say in one sentence which candidate it is and why.',
      },
    ],
    questions: [{ ask: 'What was the decision on the cache layout?', answer: [fast] }],
  }
}

/** One fact is behind the wrong door: a note is named like it and does not have it. */
const failedApproach: Kind = ({ word }) => {
  const [name, target] = [`online-${word()}`, `zone-${word()}`]
  return {
    task: 'failed-approach',
    commands: {
      'npm run migrate': {
        output: amid(7, 600, `error: approach ${name} failed with a lock timeout on table orders`),
        exitCode: 1,
      },
      'npm run migrate:slow': {
        output: amid(8, 600, `the failover target of region north became ${target}`),
      },
    },
    turns: [
      opening,
      { say: 'Please run `npm run migrate` and then `npm run migrate:slow`. Do not try again what fails.' },
    ],
    questions: [
      {
        ask: 'Which approach failed with a lock timeout on table orders, so as not to repeat it?',
        answer: [name],
      },
      { ask: 'What is the failover target of region north?', answer: [target] },
    ],
  }
}

const userRule: Kind = ({ number, word }) => {
  const [ticket, banned] = [`TICK-${number(1_000, 9_999)}`, `acme-${word()}`]
  return {
    task: 'user-rule',
    turns: [
      opening,
      {
        say: `From now on this is the rule for commit titles: begin each with ${ticket}. That is all for now.`,
        fill: 1,
      },
      { say: `And a rule for file headers: never name ${banned} in them. That is all.` },
    ],
    questions: [
      { ask: 'What is the rule for commit titles?', answer: [ticket] },
      { ask: 'What is the rule for file headers?', answer: [banned] },
    ],
  }
}

const halfPatch: Kind = ({ word }) => {
  const [good, bad] = [`src/open-${word()}.ts`, `src/retry-${word()}.ts`]
  const hunk = (path: string, from: string): string =>
    `*** Update File: ${path}\n@@\n-${from}\n+export const limit = 5`
  return {
    task: 'half-applied-patch',
    files: { [good]: 'export const limit = 3\n', [bad]: 'export const limit = 4\n' },
    turns: [
      opening,
      {
        say: `Please apply this patch as it is, once, and leave it at that:\n*** Begin Patch\n${hunk(good, 'export const limit = 3')}\n${hunk(bad, 'export const limit = 9')}\n*** End Patch`,
      },
    ],
    questions: [{ ask: 'Where was it that the patch failed to find expected lines?', answer: [bad] }],
  }
}

const serverPort: Kind = ({ number, word }) => {
  const [port, flag] = [number(20_000, 60_000), `strict-${word()}`]
  const command = `npm run preview -- --${flag}`
  return {
    task: 'server-port',
    commands: { [command]: { output: `preview server listening on port ${port}\n`, keepsRunning: true } },
    turns: [opening, { say: `Please run \`${command}\` in the background, and leave it running.` }],
    questions: [
      { ask: 'Which port is the preview server listening on?', answer: [String(port)] },
      { ask: 'Which npm run preview does still run?', answer: [flag] },
    ],
  }
}

const thirtySteps: Kind = ({ word, number }) => {
  const done = number(8, 14)
  const steps = Array.from({ length: 30 }, (_, at) => `port module m${at + 1}-${word()}`)
  const list = steps.map((step, at) => `- [${at < done ? 'x' : ' '}] ${step}`).join('\n')
  return {
    task: 'thirty-sub-tasks',
    turns: [opening, { say: `This is the plan; record it as it is, with what is done so far:\n${list}` }],
    questions: [{ ask: 'Which steps of the plan are still open?', answer: steps.slice(done) }],
  }
}

const pathFound: Kind = ({ word }) => {
  const [own, other, third] = [word(), word(), word()]
  const line = (service: string, name: string) =>
    `config loaded from etc/conf-${name}.toml for service ${service}`
  return {
    task: 'path-among-others',
    commands: {
      'npm run trace': {
        output: amid(31, 900, line('search', other), line('billing', own), line('mail', third)),
      },
    },
    turns: [{ say: 'Please run `npm run trace`.' }],
    questions: [
      { ask: 'From where was the config loaded for service billing?', answer: [`etc/conf-${own}.toml`] },
    ],
  }
}

const saidInPassing: Kind = ({ word }) => {
  const name = `Mirela-${word()}`
  return {
    task: 'said-in-passing',
    turns: [
      {
        say: `Please run \`cat README.md\` to begin with. By the way, only ${name} may approve changes of the ledger. Go on as before.`,
      },
    ],
    questions: [{ ask: 'Who may approve changes of the ledger?', answer: [name] }],
  }
}

/** One fact stands far below the place where its words first appear: it is found, then read on to. */
const cutFromOutput: Kind = ({ word }) => {
  const [sum, budget] = [`${word()}${word()}${word()}`, `tier-${word()}`]
  return {
    task: 'cut-from-output',
    commands: {
      'npm run checksums': { output: amid(51, 60_000, `the checksum of bundle-7.tar is ${sum}`) },
      'npm run settings': {
        output: `settings of the uploader\nits budget comes last\n${noise(53, 1_500)}\nretry budget of the uploader: ${budget}\n`,
      },
    },
    turns: [{ say: 'Please run `npm run checksums` and then `npm run settings`.' }],
    questions: [
      { ask: 'What is the checksum of bundle-7.tar?', answer: [sum] },
      { ask: 'What is the retry budget of the uploader?', answer: [budget] },
    ],
  }
}

const changedDecision: Kind = ({ word }) => {
  const [first, second] = [`broker-${word()}`, `broker-${word()}`]
  return {
    task: 'changed-decision',
    turns: [
      opening,
      { say: `The decision on the job queue is to take ${first}. Remember it, no more for now.`, fill: 1 },
      {
        say: `I changed my mind. The decision on the job queue is to take ${second}. Remember it, no more for now.`,
      },
    ],
    questions: [{ ask: 'What is the decision on the job queue to take?', answer: [second] }],
  }
}

const lookAlikes: Kind = ({ number, word }) => {
  const places = ['staging', 'production', 'preview', 'nightly']
  const hosts = places.map((place) => ({ place, host: `h${number(10, 99)}-${word()}.internal` }))
  return {
    task: 'look-alikes',
    commands: {
      'npm run hosts': { output: hosts.map(({ place, host }) => `endpoint of ${place}: ${host}`).join('\n') },
    },
    turns: [opening, { say: 'Please run `npm run hosts`.' }],
    questions: hosts
      .slice(1, 3)
      .map(({ place, host }) => ({ ask: `What is the endpoint of ${place}?`, answer: [host] })),
  }
}

const reason: Kind = ({ word }) => {
  const licence = `licence-${word()}`
  return {
    task: 'reason-of-a-refusal',
    turns: [
      opening,
      { say: `The rewrite of the tokenizer was rejected because of ${licence}. Go on without it.` },
    ],
    questions: [{ ask: 'Why was the rewrite of the tokenizer rejected?', answer: [licence] }],
  }
}

const orderedList: Kind = ({ word }) => {
  const steps = ['freeze', 'tag', 'build', 'sign', 'publish', 'announce'].map((step) => `${step}-${word()}`)
  return {
    task: 'ordered-list',
    turns: [
      opening,
      { say: `This is the order of the release checklist:\n${steps.map((step) => `- ${step}`).join('\n')}` },
    ],
    questions: [{ ask: 'What is the order of the release checklist?', answer: steps }],
  }
}

const halfDone: Kind = ({ number, word }) => {
  const [count, next] = [number(10_000, 99_999), `page-${word()}.tsx`]
  return {
    task: 'half-done-work',
    commands: {
      'npm run convert': {
        output: amid(
          71,
          500,
          `stopped: ${count} pages converted to the router`,
          `next file to convert: src/${next}`,
        ),
        exitCode: 130,
      },
    },
    turns: [opening, { say: 'Please run `npm run convert`, once.' }],
    questions: [
      { ask: 'How many pages were converted to the router?', answer: [String(count)] },
      { ask: 'What was the next file to convert?', answer: [next] },
    ],
  }
}

const otherLetters: Kind = ({ word }) => {
  const [key, gate] = [`größe-${word()}`, `шлюз-${word()}`]
  return {
    task: 'other-letters',
    turns: [
      opening,
      { say: `Der Schlüssel für die Müllabfuhr lautet ${key}. Mehr ist dazu nicht zu sagen.` },
      { say: `Главный сервер оплаты называется ${gate}. Пока это всё.` },
    ],
    questions: [
      { ask: 'Wie lautet der Schlüssel für die Müllabfuhr?', answer: [key] },
      { ask: 'Как называется главный сервер оплаты?', answer: [gate] },
    ],
  }
}

const longHistory: Kind = ({ number, word }) => {
  const [count, rule] = [number(100_000, 999_999), `never push to ${word()}`]
  return {
    task: 'after-ten-thousand-items',
    itemsBefore: 10_000,
    commands: { 'npm run count': { output: amid(91, 500, `${count} orders counted in the archive`) } },
    turns: [{ say: `Please run \`npm run count\`. And a rule for branches: ${rule}. That is all.` }],
    questions: [
      { ask: 'How many orders were counted in the archive?', answer: [String(count)] },
      { ask: 'What is the rule for branches?', answer: [rule] },
    ],
  }
}

const kinds: Kind[] = [
  numberRead,
  decision,
  failedApproach,
  userRule,
  halfPatch,
  serverPort,
  thirtySteps,
  pathFound,
  saidInPassing,
  cutFromOutput,
  changedDecision,
  lookAlikes,
  reason,
  orderedList,
  halfDone,
  otherLetters,
  longHistory,
]

export const generatedTasks = (seed = 1): Task[] =>
  kinds.map((kind, at) => Task.parse(kind(randomOf(seed * 1_000 + at))))
