// The offline demo model. It is a script, says so in every answer, and shows the way a turn goes: look, run the tests,
// read, patch, run again, answer. What it does next depends only on what its own calls gave back.
import { DEMO_MODEL_ID } from '../catalogue.ts'
import { record, text } from '../fields.ts'
import type { Reply, RequestView, Scenario } from './scenario.ts'

const LABEL = 'Demo model (offline, scripted).'
const LOOK = 'ls -la && cat package.json README.md'
const TEST = 'node --test'
const READ = 'cat src/*.js test/*.js'
const FAULT = 'sum + item.price, 0'
const PATCH = `*** Begin Patch
*** Update File: src/cart.js
@@ export function subtotal(items) {
-  return items.reduce((sum, item) => sum + item.price, 0)
+  return items.reduce((sum, item) => sum + item.price * item.quantity, 0)
*** End Patch
`
/** Words a person can read along with. */
const PACE = { deltaChars: 6, pauseMs: 12 }

export const demoScenario: Scenario = {
  name: DEMO_MODEL_ID,
  rules: [{ reply: (view) => ({ ...PACE, ...next(view) }) }],
}

function next(view: RequestView): Reply {
  const command = askedCommand(view.lastUser)
  if (command !== null && hasTool(view, 'exec_command')) return runAsked(view, command)
  if (!wantsWork(view.lastUser)) return { text: smallTalk(view) }
  if (!hasTool(view, 'exec_command'))
    return { text: `${LABEL} This thread gives me no tool to run commands, so I can only talk.` }
  return work(view)
}

function work(view: RequestView): Reply {
  const looked = resultOf(view, LOOK)
  if (looked === null)
    return {
      reasoning: 'First I look at what is here, then I run the tests before changing anything.',
      text: 'I look at the project first.',
      calls: [...plan(view, 0), exec(LOOK)],
    }
  if (!/"name"\s*:/.test(looked))
    return {
      text: `${LABEL} I see no \`package.json\` here, and my script only knows how to work on a small Node project. Start a thread on the sample project to see the whole job, or write \`run: <command>\` and I run it for you.`,
    }
  const runs = view.calls.filter(
    (call) => call.name === 'exec_command' && commandOf(call.argumentsText) === TEST,
  )
  const first = runs[0]?.result ?? null
  if (first === null)
    return { text: 'It is a small Node project. Now the tests.', calls: [...plan(view, 1), exec(TEST)] }
  if (passed(first))
    return {
      text: `${LABEL} I ran \`${TEST}\`: ${tally(first)}. Nothing fails, so I changed nothing.`,
    }
  if (figure(first, 'fail') === null)
    return {
      text: `${LABEL} I ran \`${TEST}\` and got no test summary, so I stop here and have changed nothing. The output is above.`,
    }
  const source = resultOf(view, READ)
  if (source === null)
    return {
      reasoning: 'The failing assertion names the subtotal. I read the code and the test side by side.',
      text: `The run shows ${tally(first)}. I read the code it points at.`,
      calls: [...plan(view, 2), exec(READ)],
    }
  const patched = view.calls.find(
    (call) => call.name === 'apply_patch' || commandOf(call.argumentsText).includes('*** Begin Patch'),
  )
  if (patched === undefined) {
    if (!source.includes(FAULT))
      return {
        text: `${LABEL} The tests fail (${tally(first)}), but this is not the fault that my script knows. A real model would read on; I stop here and have changed nothing.`,
      }
    return {
      reasoning: 'subtotal() adds each price once. The test has two teas, so the quantity is missing.',
      text: '`subtotal` adds each price once and forgets the quantity. I patch that line.',
      calls: [...plan(view, 3), patch(view)],
    }
  }
  if (runs.length < 2 || runs[1]?.result === null)
    return { text: 'Patched. I run the tests again.', calls: [...plan(view, 4), exec(TEST)] }
  const again = runs[1]?.result ?? ''
  if (!passed(again))
    return {
      text: `${LABEL} After the patch the run shows ${tally(again)}. That is more than my script can follow; the output is above.`,
    }
  if (
    plan(view, 5).length > 0 &&
    !view.calls.some((call) => call.name === 'update_plan' && planDone(call.argumentsText))
  )
    return { calls: plan(view, 5) }
  return {
    text: `The tests pass now: ${tally(again)}.

- **Cause:** \`subtotal\` in \`src/cart.js\` added each price once and ignored \`quantity\`.
- **Change:** the price is multiplied by the quantity.
- **Checked:** \`${TEST}\` failed before (${tally(first)}) and passes after.

_${LABEL} This was a script that reacts to real output; add a provider in the settings to work with a real model._`,
  }
}

function runAsked(view: RequestView, command: string): Reply {
  const result = resultOf(view, command)
  if (result === null) return { text: `I run \`${command}\`.`, calls: [exec(command)] }
  const lines = result.trim().split('\n')
  const shown = lines.slice(-12).join('\n')
  const more = lines.length > 12 ? ' (the last 12 lines)' : ''
  return { text: `${LABEL} \`${command}\` gave${more}:\n\n\`\`\`\n${shown}\n\`\`\`` }
}

function smallTalk(view: RequestView): string {
  const tools = view.tools.map((tool) => `\`${tool.name}\``).join(', ') || 'no tools'
  return `${LABEL} I cannot think, but I can show how a turn goes. You wrote: “${short(view.lastUser)}”.

- Ask me to **fix the failing test** of the sample project: I look, run the tests, patch, run again and answer.
- Write \`run: <command>\` and I run it in this thread's container.

In this thread I was offered ${tools}. For real work, add a provider in the settings.`
}

function wantsWork(said: string): boolean {
  return /\b(fix|test|tests|fail|fails|failing|bug|broken|repair|patch|work|look|project|code|wrong|help me)\b/i.test(
    said,
  )
}

/** `run: ls`, `$ ls`, or run `ls`. */
function askedCommand(said: string): string | null {
  const found = /^\s*(?:run:|\$)\s*(.+)$/im.exec(said)?.[1] ?? /\brun\s+`([^`]+)`/i.exec(said)?.[1]
  return found?.trim() ?? null
}

function short(said: string): string {
  const line = said.replace(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

function hasTool(view: RequestView, name: string): boolean {
  return view.tools.some((tool) => tool.name === name)
}

function exec(cmd: string) {
  return { name: 'exec_command', arguments: { cmd } }
}

function commandOf(argumentsText: string): string {
  try {
    return text(record(JSON.parse(argumentsText))?.cmd)
  } catch {
    return ''
  }
}

function resultOf(view: RequestView, command: string): string | null {
  return view.calls.find((call) => commandOf(call.argumentsText) === command)?.result ?? null
}

/** With the tool where there is one, else as the command of the same name. */
function patch(view: RequestView) {
  const tool = view.tools.find((each) => each.name === 'apply_patch')
  if (tool === undefined) return exec(`apply_patch <<'EOF'\n${PATCH}EOF`)
  const field = Object.keys(record(tool.parameters.properties) ?? {})[0] ?? 'input'
  return { name: 'apply_patch', arguments: { [field]: PATCH } }
}

const STEPS = [
  'Look at the project',
  'Run the tests',
  'Read the code',
  'Patch the fault',
  'Run the tests again',
]

/** One call that moves the plan on, where the thread has a plan. */
function plan(view: RequestView, current: number) {
  if (!hasTool(view, 'update_plan')) return []
  const status = (at: number) => (at < current ? 'completed' : at === current ? 'in_progress' : 'pending')
  return [
    { name: 'update_plan', arguments: { plan: STEPS.map((step, at) => ({ step, status: status(at) })) } },
  ]
}

function planDone(argumentsText: string): boolean {
  return !/in_progress|pending/.test(argumentsText)
}

/** Node's runner, in either of its formats. */
function figure(output: string, word: string): number | null {
  const found = new RegExp(`(?:#|ℹ)\\s*${word}\\s+(\\d+)`).exec(output)?.[1]
  return found === undefined ? null : Number(found)
}

function passed(output: string): boolean {
  return figure(output, 'fail') === 0 && (figure(output, 'pass') ?? 0) > 0
}

function tally(output: string): string {
  const pass = figure(output, 'pass')
  const fail = figure(output, 'fail')
  return pass === null || fail === null ? 'no test summary' : `${pass} passed, ${fail} failed`
}
