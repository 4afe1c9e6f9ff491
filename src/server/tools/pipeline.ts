/**
 * Every call's way: resolve → validate → prepare → invoke, then the cut for the model. What the model did wrong comes
 * back as text it can act on; only a defect of ours throws. Knows no particular tool.
 */
import { type ErrorFact, Fault } from '../../protocol/error.ts'
import { defaultOutputTokens, maxFullBytes, truncate } from './truncate.ts'
import type {
  ProposedCall,
  ResolvedCall,
  ToolAnswer,
  ToolContext,
  ToolOutcome,
  ToolRefusal,
  ToolSet,
} from './types.ts'

/** What the model reads of an error. */
const words = (error: ErrorFact): string => `${error.message}\n${error.next}`

const refused = ({ error, text }: ToolRefusal): ToolOutcome => ({
  status: 'refused',
  text: text ?? words(error),
  error,
})

const badArguments = (name: string, message: string, next: string): ResolvedCall => ({
  ok: false,
  outcome: refused({ error: { code: 'tool_bad_arguments', message: `${name}: ${message}`, next } }),
})

/** Optional values that were written as null were not given. */
const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null))
    : value

const parseArguments = (text: string): { value: unknown } | { fault: string } => {
  if (text.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'not JSON' }
  }
}

/** Resolve and validate: which tool, and whether its arguments are what it takes. Touches nothing. */
export const resolveCall = (
  set: ToolSet,
  call: ProposedCall,
  context: Pick<ToolContext, 'cwd' | 'settings'>,
): ResolvedCall => {
  const tool = set.find(call.name)
  if (tool === null) {
    const names = set.specs.map((spec) => spec.name).join(', ')
    const error: ErrorFact = {
      code: 'tool_unknown',
      message: `There is no tool named ${JSON.stringify(call.name.slice(0, 200))}.`,
      next: `Call one of: ${names}`.slice(0, 500),
    }
    return { ok: false, outcome: refused({ error }) }
  }
  const parsed = parseArguments(call.argumentsText)
  const given = 'value' in parsed ? withoutNulls(parsed.value) : (tool.fromText?.(call.argumentsText) ?? null)
  if ('fault' in parsed && given === null)
    return badArguments(
      tool.name,
      `the arguments are not valid JSON (${parsed.fault.slice(0, 300)}).`,
      'Send the call again with one complete JSON object.',
    )
  const checked = tool.input.safeParse(given)
  if (!checked.success) {
    const issues = checked.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.length > 0 ? issue.path.join('.') : 'arguments'}: ${issue.message}`)
    return badArguments(tool.name, issues.join('; '), 'Correct these arguments and send the call again.')
  }
  const refusal = tool.check(checked.data, context)
  if (refusal !== null) return { ok: false, outcome: refused(refusal.refused) }
  return { ok: true, tool, input: checked.data, parallelSafe: tool.parallelSafe }
}

const full = (text: string): string =>
  (text.length <= maxFullBytes ? text : text.slice(0, maxFullBytes)).toWellFormed()

const answered = (answer: ToolAnswer): ToolOutcome => {
  const whole = answer.text.toWellFormed().replaceAll('\0', '')
  const text = answer.forModel ?? truncate(whole, defaultOutputTokens).text
  const outcome: ToolOutcome = { status: answer.ok ? 'succeeded' : 'failed', text, detail: answer.detail }
  if (text !== whole) outcome.fullText = full(whole)
  if (answer.ended) outcome.ended = answer.ended
  if (!answer.ok)
    outcome.error = answer.error ?? {
      code: 'tool_failed',
      message: whole.slice(0, 300),
      next: 'Read the output and try another way.',
    }
  return outcome
}

/** How a stopped call is told to the model, with what it had given so far. */
const interrupted = (outcome: ToolOutcome | null): ToolOutcome => {
  const before = outcome === null || outcome.text === '' ? '' : `${outcome.text}\n`
  return {
    ...outcome,
    status: 'interrupted',
    text: `${before}[The call was stopped before it was done; what it had changed so far stays changed.]`,
    reason: 'stopped',
  }
}

/**
 * Prepare and invoke. Resolves with the call's end, an interruption included; rejects only for a defect.
 * The caller has recorded the call before.
 */
export const runCall = async (
  call: Extract<ResolvedCall, { ok: true }>,
  context: ToolContext,
): Promise<ToolOutcome> => {
  if (context.signal.aborted) return interrupted(null)
  try {
    const done = await call.tool.run(call.input, context)
    if ('refused' in done) return refused(done.refused)
    const outcome = answered(done.answer)
    return done.answer.cut ? interrupted(outcome) : outcome
  } catch (error) {
    if (context.signal.aborted) return interrupted(null)
    if (!(error instanceof Fault)) throw error
    const fact = error.toFact()
    return { status: fact.code === 'tool_refused' ? 'refused' : 'failed', text: words(fact), error: fact }
  }
}
