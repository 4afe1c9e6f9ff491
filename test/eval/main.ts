/**
 * Plays all tasks in all strategies and writes one JSON line for each, then one with what is wanted of the strategy
 * `windows`. `--tasks=DIR` adds tasks, `--only=NAME` picks one, `--strategy=NAME` one strategy; a provider key in the
 * environment plays them on a real model too. Progress and misses go to stderr.
 */
import { Strategy } from '../../src/protocol/settings.ts'
import { progress } from '../setup/figures.ts'
import { evaluate, type Outcome } from './evaluate.ts'
import { type EvaluatedModel, openEvaluation } from './harness.ts'
import { realModels } from './real-models.ts'
import { startPolicy } from './scripted.ts'
import { readTasks, type Task } from './task.ts'
import { generatedTasks } from './tasks.ts'

const option = (name: string): string | null =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null

const folder = option('tasks')
const only = option('only')
const oneStrategy = option('strategy')
const tasks = [...generatedTasks(), ...(folder === null ? [] : readTasks(folder))].filter(
  ({ task }) => only === null || task === only,
)
const strategies = oneStrategy === null ? Strategy.options : [Strategy.parse(oneStrategy)]
if (tasks.length === 0) throw new Error(`There is no task named ${only}.`)

const play = async (
  model: EvaluatedModel,
  task: Task,
  strategy: Strategy,
  label: string,
): Promise<Outcome> => {
  const evaluation = await openEvaluation(model)
  try {
    const { outcome, misses } = await evaluate(evaluation, { ...task, task: label }, strategy)
    for (const { ask, found, said } of misses)
      progress(`${strategy} · ${label} · ${found} · ${ask} → ${JSON.stringify(said.slice(0, 200))}`)
    process.stdout.write(`${JSON.stringify(outcome)}\n`)
    return outcome
  } finally {
    await evaluation.close()
  }
}

const scripted = await startPolicy()
try {
  // The other tasks still say something; the exit code says that one did not.
  for (const strategy of strategies)
    for (const task of tasks)
      await play(scripted.model, task, strategy, task.task).catch((error: unknown) => {
        progress(`${strategy} · ${task.task} · ${error}`)
        process.exitCode = 1
      })
  // Ten thousand items of older work say nothing about a model, and would be paid for.
  for (const model of realModels(process.env))
    for (const strategy of strategies)
      for (const task of tasks.filter(({ itemsBefore }) => itemsBefore === 0)) {
        const label = `${task.task} (${model.info.id})`
        await play(model, task, strategy, label).catch((error: unknown) => progress(`${label}: ${error}`))
      }
} finally {
  await scripted.server.close()
}
