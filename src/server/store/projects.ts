/**
 * Projects: where workspaces come from, their instructions and defaults.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { type Project, ThreadSettings } from '../../protocol/settings.ts'
import { auditRow } from './audit.ts'
import { collectBlobs } from './blobs.ts'
import type { Db } from './db.ts'
import { type Client, guarded, toJson } from './prisma.ts'
import type { ProjectStore, SaveProject } from './types.ts'

type ProjectRow = {
  id: string
  name: string
  instructions: string
  defaults: unknown
  uploadHash: string | null
  uploadFiles: number | null
  uploadBytes: bigint | null
  uploadedAt: Date | null
  createdAt: Date
  _count: { threads: number }
}
const withCount = { _count: { select: { threads: true } } } as const

const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  source:
    row.uploadHash === null
      ? { type: 'empty' }
      : {
          type: 'upload',
          files: row.uploadFiles ?? 0,
          bytes: Number(row.uploadBytes ?? 0),
          uploadedAt: row.uploadedAt?.getTime() ?? 0,
        },
  instructions: row.instructions,
  defaults: ThreadSettings.partial().parse(row.defaults),
  threadCount: row._count.threads,
  createdAt: row.createdAt.getTime(),
})

export const createProjectStore = (db: Db, client: Client, teamId: () => Promise<string>): ProjectStore => {
  const uploadOf = (projectId: string) =>
    guarded('project', async () => {
      const row = await client.project.findUniqueOrThrow({
        where: { id: projectId },
        select: { uploadHash: true },
      })
      return row.uploadHash
    })
  const collect = async (hash: string | null): Promise<void> => {
    if (hash !== null) await collectBlobs(db.pool, [hash])
  }

  const change = async (
    projectId: string,
    data: Parameters<Client['project']['update']>[0]['data'],
    actorId: string,
    action: string,
    details: Record<string, unknown>,
  ): Promise<Project> => {
    const rows = await guarded('project', () =>
      client.$transaction([
        client.project.update({ where: { id: projectId }, data, include: withCount }),
        auditRow(client, { actorId, action, targetType: 'project', targetId: projectId, details }),
      ]),
    )
    return toProject(rows[0])
  }

  const dataOf = (input: Partial<SaveProject>) => ({
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
    ...(input.defaults === undefined ? {} : { defaults: toJson(input.defaults) }),
  })

  return {
    list: () =>
      guarded('project', async () => {
        const rows = await client.project.findMany({ include: withCount, orderBy: [{ createdAt: 'asc' }] })
        return rows.map(toProject)
      }),

    get: (projectId) =>
      guarded('project', async () =>
        toProject(await client.project.findUniqueOrThrow({ where: { id: projectId }, include: withCount })),
      ),

    create: async (input, actorId) => {
      const id = newId('prj')
      const team = await teamId()
      const rows = await guarded('project', () =>
        client.$transaction([
          client.project.create({
            data: { id, teamId: team, createdBy: actorId, name: input.name, ...dataOf(input) },
            include: withCount,
          }),
          auditRow(client, {
            actorId,
            action: 'project.create',
            targetType: 'project',
            targetId: id,
            details: { name: input.name },
          }),
        ]),
      )
      return toProject(rows[0])
    },

    update: (projectId, input, actorId) =>
      change(projectId, dataOf(input), actorId, 'project.update', { changed: Object.keys(input).join(', ') }),

    remove: async (projectId, actorId) => {
      const threads = await guarded('project', () => client.thread.count({ where: { projectId } }))
      if (threads > 0)
        throw new Fault(
          'conflict',
          `The project still has ${threads} ${threads === 1 ? 'thread' : 'threads'}.`,
          'Delete its threads first.',
        )
      const upload = await uploadOf(projectId)
      await guarded('project', () =>
        client.$transaction([
          client.project.delete({ where: { id: projectId } }),
          auditRow(client, { actorId, action: 'project.delete', targetType: 'project', targetId: projectId }),
        ]),
      )
      await collect(upload)
    },

    setUpload: async (projectId, { hash, files, bytes }, actorId) => {
      const before = await uploadOf(projectId)
      const project = await change(
        projectId,
        { uploadHash: hash, uploadFiles: files, uploadBytes: bytes, uploadedAt: new Date() },
        actorId,
        'project.upload',
        { files, bytes },
      )
      if (before !== hash) await collect(before)
      return project
    },

    upload: uploadOf,
  }
}
