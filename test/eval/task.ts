/** What a task of the evaluation is: what people say, what commands print, and what is asked when it is long gone. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Command = z.object({
  output: z.string(),
  exitCode: z.int().min(0).max(255).default(0),
  /** It prints and then goes on running, as a server does. */
  keepsRunning: z.boolean().default(false),
})

const Question = z.object({
  ask: z.string().min(1),
  /** All of them must be in the answer, each as a word of its own; none may be in the question. */
  answer: z.array(z.string().regex(/^[^"\\\s][^"\\\n]*$/)).min(1),
})

export const Task = z
  .object({
    task: z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/),
    /** Files of the workspace, by path. */
    files: z.record(z.string(), z.string()).default({}),
    /** What these commands do, word for word; `cat` of a file works by itself. */
    commands: z.record(z.string(), Command).default({}),
    /** Said in this order; `fill`: windows that pass after it. */
    turns: z.array(z.object({ say: z.string().min(1), fill: z.int().min(0).max(10).default(0) })).min(1),
    questions: z.array(Question).min(1),
    /** Items of older work that the thread has before the first turn. */
    itemsBefore: z.int().min(0).max(100_000).default(0),
  })
  .refine(
    ({ questions }) => questions.every(({ ask, answer }) => !answer.some((each) => ask.includes(each))),
    {
      error: 'a question holds its own answer',
    },
  )
export type Task = z.infer<typeof Task>
export type TaskInput = z.input<typeof Task>
export type Question = z.infer<typeof Question>

/** Every `*.json` of a folder, each one task. Throws an Error that names the file and what is wrong with it. */
export const readTasks = (folder: string): Task[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const path = join(folder, name)
      try {
        return Task.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch (error) {
        const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
        throw new Error(`${path} is no task: ${why}`)
      }
    })
