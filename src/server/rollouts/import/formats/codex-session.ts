/**
 * What a Codex session is in the middle of: its requests and their tokens, its window, and events whose item has not come
 * yet. Knows no line of the file.
 */
import { sha256 } from '../../../../lib/sha256.ts'
import { addUsage, noUsage, type Usage } from '../../../../protocol/event.ts'
import type { InputBlock } from '../input.ts'
import { createRollout } from '../rollout.ts'
import type { TurnEnd } from '../turns.ts'
import type { FileRecord, ReaderContext } from '../types.ts'
import type { Json } from '../values.ts'
import { blockOf, settled } from './codex-input.ts'
import { sinceTotals, type Totals } from './codex-items.ts'

type Role = 'user' | 'agent' | 'reasoning'
/** An event that says what an item will say, or would have said. */
type Echo = { role: Role; text: string; record: FileRecord; kind: string }

/** Texts of a turn that are remembered, and events that wait for their item. */
const maxSaid = 10_000
const maxEchoes = 1_000
/** Items before the first request. */
const maxEarly = 200

export const createSession = (context: ReaderContext) => {
  const { report } = context
  const rollout = createRollout(context, null)
  let totals: Totals = noUsage
  /** Tokens of a request whose items come after its count, and of the one that is open. */
  let pending: Usage | null = null
  let stepUsage: Usage | null = null
  let contextLimit = 0
  let hasOutputs = false
  let hasItems = false
  let hasMeta = false
  let isDropped = false
  let isExplicit = false
  let lastKept = 0
  let said = new Set<string>()
  let echoes: Echo[] = []
  let instructions: InputBlock[] = []
  /** What the first request will hold; its window opens with it, when the model is known. */
  let early: InputBlock[] | null = []

  const keep = (record: FileRecord, kind: string, why: 'no_place' | 'unknown_type' = 'no_place'): void => {
    if (why === 'unknown_type') report.unknown(kind)
    lastKept = record.line
    rollout.kept(record.line, kind, why, record.raw)
  }

  // A file that does not say how it began cannot be gone on with by its own program either.
  const openWindow = (reason: 'first_turn' | 'budget' | 'person', blocks: readonly InputBlock[]): void => {
    isDropped = false
    early = null
    rollout.openWindow({ reason, wire: 'openai-responses', blocks, goesOn: hasMeta })
  }

  const needWindow = (): void => {
    if (early !== null) openWindow('first_turn', [...instructions, ...early])
  }

  /** What the next request would hold; undefined when that is not put together any more. */
  const given = (): readonly InputBlock[] | undefined =>
    early === null ? rollout.input()?.blocks : [...instructions, ...early]

  const addInput = (item: Json, reason: string, line: number, itemId?: string | null): void => {
    if (isDropped) return
    const block = blockOf(item, reason, itemId ?? undefined)
    if (block === null) return
    if (early !== null) {
      early.push(block)
      if (early.length < maxEarly) return
      needWindow()
      return
    }
    if (rollout.addInput(block)) return
    isDropped = true
    report.problem(line, 'from here on requests are larger than any model takes: they are not put together')
  }

  const endStep = (): void => {
    rollout.endStep({ ...(stepUsage === null ? {} : { usage: stepUsage }), contextLimit })
    stepUsage = null
    hasOutputs = false
  }

  /** Tokens of a request of which the file has nothing else. */
  const spendAlone = (): void => {
    if (pending === null) return
    needWindow()
    rollout.startStep()
    rollout.endStep({ usage: pending, contextLimit, stop: 'not recorded' })
    pending = null
  }

  const spend = (used: Usage): void => {
    if (used.input + used.output === 0) return
    if (rollout.inStep() && stepUsage === null) {
      stepUsage = used
      endStep()
      return
    }
    endStep()
    spendAlone()
    pending = used
  }

  const settleEchoes = (): void => {
    const waiting = echoes
    echoes = []
    for (const { role, text, record, kind } of waiting) {
      if (hasItems) {
        if (record.line !== lastKept) keep(record, kind)
      } else if (role === 'user') {
        rollout.title(text)
        rollout.user([{ text }])
      } else if (role === 'agent') rollout.agent(text)
      else rollout.reasoning(text)
    }
  }

  const endTurn = (end: TurnEnd): void => {
    endStep()
    settleEchoes()
    spendAlone()
    rollout.endTurn(end)
    said = new Set()
    isExplicit = false
  }

  return {
    rollout,
    keep,
    openWindow,
    given,
    addInput,
    endStep,
    endTurn,

    begin: (blocks: InputBlock[]): boolean => {
      if (hasMeta) return false
      hasMeta = true
      instructions = blocks
      return true
    },

    limit: (tokens: number): void => {
      if (tokens > 0) contextLimit = tokens
    },

    startTurn: (): void => {
      rollout.startTurn()
      isExplicit = true
    },
    /** Whether a message of a person begins a new turn, in files that do not say so. */
    isAnswered: () => rollout.inTurn() && !isExplicit && rollout.hasActed(),

    sawItem: (): void => {
      hasItems = true
    },
    sawOutput: (): void => {
      hasOutputs = true
    },

    /** A request begins where the model speaks after it was given something. */
    speak: (): void => {
      if (rollout.inStep() && hasOutputs) endStep()
      if (rollout.inStep()) return
      needWindow()
      rollout.startStep()
      stepUsage = pending
      pending = null
      hasOutputs = false
    },

    /** A running total: in older files it stands before the items of its request, in newer ones after them. */
    seeTotals: (now: Totals, line: number): void => {
      report.value.statedUsage = now
      const { used, isNew } = sinceTotals(totals, now)
      totals = now
      if (isNew) report.problem(line, 'the running total of tokens begins anew; both parts are counted')
      spend(used)
    },

    /** Tokens of what came since the last such count, in the files that keep no running total. */
    seeUsed: (used: Totals): void => {
      totals = addUsage(totals, used)
      report.value.statedUsage = totals
      spend(used)
    },

    echo: (role: Role, text: string, record: FileRecord, kind: string): void => {
      if (said.has(sha256(`${role} ${text.trim()}`))) return
      echoes.push({ role, text, record, kind })
      if (echoes.length > maxEchoes) settleEchoes()
    },

    sayItem: (role: Role, text: string): void => {
      if (said.size < maxSaid) said.add(sha256(`${role} ${text.trim()}`))
      echoes = echoes.filter((each) => each.role !== role || !text.includes(each.text.trim()))
    },

    end: (): void => {
      if (rollout.inTurn() || echoes.length > 0 || pending !== null)
        endTurn(
          isExplicit ? { status: 'interrupted', reason: 'the file ends here' } : { status: 'completed' },
        )
      needWindow()
      const blocks = given()
      const whole = blocks === undefined ? null : settled(blocks)
      if (whole !== null) openWindow('person', whole)
      if (isDropped) rollout.openWindow({ reason: 'budget' })
      if (!hasMeta)
        report.problem(
          1,
          'there is no session_meta: Codex itself does not resume such a file, so a message here begins a new window',
        )
      rollout.end()
    },
  }
}
