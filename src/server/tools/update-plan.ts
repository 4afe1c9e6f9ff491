/** update_plan: the list of steps that people see beside the conversation. */
import { z } from 'zod'
import { proseBeside } from './prose.ts'
import { refusal } from './refusal.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  explanation: z.string().max(4_000).optional().describe('Why the plan changed, in a sentence.'),
  plan: z
    .array(
      z.object({
        step: z.string().min(1).max(2_000).describe('What is to be done, in a few words.'),
        status: z.enum(['pending', 'in_progress', 'completed']),
      }),
    )
    .min(1)
    .max(100)
    .describe('All steps in order.'),
})
type Input = z.infer<typeof Input>

export const updatePlan = defineTool<Input, Input>({
  name: 'update_plan',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  validate: ({ plan }) =>
    plan.filter((entry) => entry.status === 'in_progress').length <= 1
      ? null
      : refusal(
          'tool_bad_arguments',
          'plan: more than one step is in_progress.',
          'Mark at most one step as in_progress.',
        ),
  prepare: async (input) => ({ prepared: input }),
  async invoke({ plan, explanation }, { progress }) {
    progress.plan(
      plan.map(({ step, status }) => ({ text: step, status })),
      explanation ?? null,
    )
    return { ok: true, text: 'The plan is updated.', detail: { type: 'plan' } }
  },
})
