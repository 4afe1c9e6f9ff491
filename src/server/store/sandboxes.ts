/**
 * Containers as the database knows them.
 */
import { type Client, guarded, toJson } from './prisma.ts'
import type { SandboxRow, SandboxStore } from './types.ts'

type SandboxDbRow = Omit<SandboxRow, 'sandboxId' | 'createdAt' | 'usedAt' | 'data'> & {
  id: string
  createdAt: Date
  usedAt: Date
  data: unknown
}

const toRow = ({ id, createdAt, usedAt, data, ...row }: SandboxDbRow): SandboxRow => ({
  ...row,
  sandboxId: id,
  createdAt: createdAt.getTime(),
  usedAt: usedAt.getTime(),
  data: (data ?? {}) as Record<string, unknown>,
})

export const createSandboxStore = (client: Client): SandboxStore => ({
  list: (installId) =>
    guarded('sandbox', async () =>
      (await client.sandbox.findMany({ where: { installId }, orderBy: { id: 'asc' } })).map(toRow),
    ),

  ofThread: (threadId) =>
    guarded('sandbox', async () => {
      const row = await client.sandbox.findFirst({
        where: { threadId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      })
      return row ? toRow(row) : null
    }),

  save: async ({ sandboxId, createdAt, usedAt, data, ...row }) => {
    const values = { ...row, createdAt: new Date(createdAt), usedAt: new Date(usedAt), data: toJson(data) }
    await guarded('sandbox', () =>
      client.sandbox.upsert({
        where: { id: sandboxId },
        create: { id: sandboxId, ...values },
        update: values,
      }),
    )
  },

  assign: (sandboxId, threadId) =>
    guarded('sandbox', async () => {
      const { count } = await client.sandbox.updateMany({
        where: { id: sandboxId, threadId: null },
        data: { threadId },
      })
      return count === 1
    }),

  remove: async (sandboxId) => {
    await guarded('sandbox', () => client.sandbox.deleteMany({ where: { id: sandboxId } }))
  },
})
