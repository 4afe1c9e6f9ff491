/** request_user_input: asks the person and waits, however long it takes. */
import { z } from 'zod'
import type { Answers, Question } from '../../protocol/item.ts'
import { proseBeside } from './prose.ts'
import { refusal } from './refusal.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  questions: z
    .array(
      z.object({
        id: z.string().min(1).max(100).describe('Name of the question in the answer, in snake_case.'),
        header: z.string().max(40).optional().describe('Label of one or two words.'),
        question: z.string().min(1).max(4_000).describe('The question, in one sentence.'),
        options: z
          .array(
            z.object({
              label: z.string().min(1).max(200).describe('One to five words.'),
              description: z
                .string()
                .max(1_000)
                .optional()
                .describe('What choosing it means, in one sentence.'),
            }),
          )
          .max(6)
          .optional()
          .describe(
            'Two or three choices that exclude each other, the recommended one first. Words of their own are always possible.',
          ),
      }),
    )
    .min(1)
    .max(3),
})
type Input = z.infer<typeof Input>
type Plan = { questions: Question[]; answers: Answers | null }

export const requestUserInput = defineTool<Input, Plan>({
  name: 'request_user_input',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  validate: ({ questions }) =>
    new Set(questions.map((question) => question.id)).size === questions.length
      ? null
      : refusal(
          'tool_bad_arguments',
          'questions: two have the same id.',
          'Give each question an id of its own.',
        ),
  async prepare({ questions: asked }, context) {
    const questions = asked.map(
      ({ id, header, question, options }): Question => ({
        id,
        text: question,
        ...(header === undefined ? {} : { header }),
        options: (options ?? []).map(({ label, description }) => ({
          label,
          ...(description === undefined ? {} : { description }),
        })),
      }),
    )
    return { prepared: { questions, answers: await context.ask(questions, context.signal) } }
  },
  async invoke({ questions, answers }, { signal }) {
    const detail = { type: 'question' } as const
    if (answers === null)
      return {
        ok: true,
        text: 'The question was withdrawn without an answer. Go on with your own judgement.',
        detail,
        cut: signal.aborted,
      }
    const given = questions.map(({ id, text }) => ({ id, question: text, answers: answers[id] ?? [] }))
    return { ok: true, text: JSON.stringify({ answers: given }, null, 2), detail }
  },
})
