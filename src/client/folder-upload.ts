/** A picked or dropped folder on its way to a project: which files it has, what is left out, and the upload itself. */
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import { type FolderFile, folderTar } from './folder-tar.ts'

export type Folder = { name: string; files: FolderFile[] }

/** Folders that are left out wherever they are. */
export type Skip = { nodeModules: boolean; git: boolean }

export const skippedNames = ({ nodeModules, git }: Skip): Set<string> =>
  new Set([...(nodeModules ? ['node_modules'] : []), ...(git ? ['.git'] : [])])

/** What is left of a folder without the skipped ones. */
export function kept(folder: Folder, skip: Skip): { files: FolderFile[]; bytes: number; skipped: number } {
  const names = skippedNames(skip)
  const files = folder.files.filter(
    ({ path }) =>
      !path
        .split('/')
        .slice(0, -1)
        .some((name) => names.has(name)),
  )
  return {
    files,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    skipped: folder.files.length - files.length,
  }
}

/** The folder of an `<input webkitdirectory>`. */
export function pickedFolder(list: FileList): Folder | null {
  const files = [...list].map((file) => {
    const [, ...rest] = file.webkitRelativePath.split('/')
    return { path: rest.join('/') || file.name, file }
  })
  const name = list[0]?.webkitRelativePath.split('/')[0] ?? ''
  return files.length === 0 ? null : { name, files }
}

const readEntries = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject))

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

async function walk(folder: FileSystemDirectoryEntry, path: string, into: FolderFile[]): Promise<void> {
  const reader = folder.createReader()
  // A reader gives a hundred at a time, and an empty list at the end.
  for (let batch = await readEntries(reader); batch.length > 0; batch = await readEntries(reader)) {
    for (const entry of batch) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, inner, into)
      else if (entry.isFile) into.push({ path: inner, file: await fileOf(entry as FileSystemFileEntry) })
    }
  }
}

/** The first folder of a drop; null when none was dropped. Must be called before the event ends. */
export function droppedFolder(items: DataTransferItemList): Promise<Folder | null> {
  const entry = [...items].map((item) => item.webkitGetAsEntry()).find((found) => found?.isDirectory)
  if (!entry) return Promise.resolve(null)
  const files: FolderFile[] = []
  return walk(entry as FileSystemDirectoryEntry, '', files).then(() => ({ name: entry.name, files }))
}

type Progress = (sent: number, total: number) => void

/** Sends the files as one archive; null when the project has them, else what is wrong. */
export async function uploadFolder(
  projectId: string,
  files: readonly FolderFile[],
  onProgress: Progress,
  signal: AbortSignal,
): Promise<ErrorFact | null> {
  let archive: Blob
  try {
    archive = await folderTar(files)
  } catch {
    return {
      code: 'bad_input',
      message: 'A file of the folder cannot be read any more.',
      next: 'Choose the folder again.',
    }
  }
  return new Promise((resolve) => {
    const lost: ErrorFact = {
      code: 'internal',
      message: 'The upload was cut off.',
      next: 'Check the connection and upload again.',
    }
    // Only this older interface tells how much was sent.
    const request = new XMLHttpRequest()
    request.open('POST', `/api/projects/${projectId}/upload`)
    request.setRequestHeader('content-type', 'application/x-tar')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onload = () => {
      if (request.status === 200) return resolve(null)
      const found = ErrorFactSchema.safeParse((request.response as { error?: unknown } | null)?.error)
      resolve(found.success ? found.data : lost)
    }
    request.onerror = () => resolve(lost)
    request.onabort = () => resolve({ ...lost, message: 'The upload was stopped.', next: 'Upload again.' })
    signal.addEventListener('abort', () => request.abort())
    request.send(archive)
  })
}
