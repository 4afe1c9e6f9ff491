/**
 * Settings of a thread and the shapes behind the settings pages: models, providers, projects.
 */
import { z } from 'zod'
import { ProjectId, ProviderId } from './ids.ts'

export const Permission = z.enum(['read-only', 'workspace-write', 'full-access'])
export type Permission = z.infer<typeof Permission>
export const Approvals = z.enum(['never', 'on-request', 'untrusted'])
export const Egress = z.enum(['none', 'allowlist', 'public'])
export type Egress = z.infer<typeof Egress>
export const Strategy = z.enum(['windows', 'handoff', 'layers'])
export type Strategy = z.infer<typeof Strategy>

/** A thread's own figures for its windows, in tokens; what is absent comes from the model. */
export const WindowSettings = z.object({
  /** At this much the model is told to save its notes and to ask for a new window. */
  limitTokens: z.int().min(1_000).max(10_000_000).optional(),
  /** With this much left before the limit the model is reminded. */
  reminderTokens: z.int().min(0).max(1_000_000).optional(),
  /** This far above the limit the new window comes by itself. */
  bufferTokens: z.int().min(0).max(1_000_000).optional(),
})
export type WindowSettings = z.infer<typeof WindowSettings>
/** How hard a model thinks, weakest first: every word that a vendor has. Which of them a model takes stands with the model. */
export const Effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
export type Effort = z.infer<typeof Effort>

/** A model of a provider, as a thread names it. */
export const ModelRef = z.object({ providerId: ProviderId, model: z.string().min(1).max(200) })
export type ModelRef = z.infer<typeof ModelRef>

/** Limits of one turn. A limit that is reached ends the turn as `limited`. */
export const TurnLimits = z.object({
  steps: z.int().min(1).max(100_000),
  durationMs: z
    .int()
    .min(1_000)
    .max(30 * 86_400_000),
  /** Micro-dollars; null = no limit in money. */
  costMicros: z.int().min(0).nullable(),
})
export type TurnLimits = z.infer<typeof TurnLimits>

export const ThreadSettings = z.object({
  model: ModelRef.nullable(),
  effort: Effort.nullable(),
  permission: Permission,
  approvals: Approvals,
  egress: Egress,
  strategy: Strategy,
  window: WindowSettings.optional(),
  limits: TurnLimits,
})
export type ThreadSettings = z.infer<typeof ThreadSettings>

export const defaultThreadSettings: ThreadSettings = {
  model: null,
  effort: null,
  permission: 'workspace-write',
  approvals: 'never',
  egress: 'none',
  strategy: 'windows',
  limits: { steps: 1_000, durationMs: 24 * 3_600_000, costMicros: null },
}

/** The wire format that a provider speaks. */
export const ProviderKind = z.enum([
  'openai-responses',
  'openai-chat',
  'anthropic-messages',
  'google-genai',
  'demo',
])
export type ProviderKind = z.infer<typeof ProviderKind>

/** Micro-dollars for one million tokens; null = not known (shown as unknown, never as nothing). */
export const Prices = z.object({
  input: z.number().min(0),
  cachedInput: z.number().min(0).nullable(),
  cacheWrite: z.number().min(0).nullable(),
  output: z.number().min(0),
})
export type Prices = z.infer<typeof Prices>

export const ModelInfo = z.object({
  id: z.string().min(1).max(200),
  label: z.string().max(200),
  /** Models of one family can read each other's replayed reasoning. */
  family: z.string().max(200),
  contextTokens: z.int().min(1_000),
  maxOutputTokens: z.int().min(1).nullable(),
  efforts: z.array(Effort),
  images: z.boolean(),
  prices: Prices.nullable(),
  /** Tools and instructions are kept at the vendor under a name, for rent; absent where the vendor has no such thing. */
  explicitCache: z.boolean().optional(),
})
export type ModelInfo = z.infer<typeof ModelInfo>

/** A provider as people see it: never with its key. */
export const Provider = z.object({
  id: ProviderId,
  name: z.string().min(1).max(100),
  kind: ProviderKind,
  baseUrl: z.string().nullable(),
  hasKey: z.boolean(),
  /** `environment`: made from environment variables at start, changed there. `demo`: the labelled offline model. */
  source: z.enum(['settings', 'environment', 'demo']),
  models: z.array(ModelInfo),
})
export type Provider = z.infer<typeof Provider>

export const Project = z.object({
  id: ProjectId,
  name: z.string().min(1).max(100),
  /** `empty`, or the tree of an uploaded folder that each new workspace starts from. */
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('empty') }),
    z.object({ type: z.literal('upload'), files: z.int(), bytes: z.int(), uploadedAt: z.int() }),
  ]),
  /** The project's own developer instructions, given to every thread. */
  instructions: z.string().max(32_768),
  defaults: ThreadSettings.partial(),
  threadCount: z.int(),
  createdAt: z.int(),
})
export type Project = z.infer<typeof Project>
