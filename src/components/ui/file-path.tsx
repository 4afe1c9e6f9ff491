import { Shown } from './shown.tsx'

/** A file by its path: where it is narrow, the folders give way to the name. */
export function FilePath({ path }: { path: string }) {
  const name = path.lastIndexOf('/') + 1
  return (
    <code className="flex min-w-0 flex-1">
      <span className="truncate text-faint">
        <Shown text={path.slice(0, name)} />
      </span>
      <span className="shrink-0">
        <Shown text={path.slice(name)} />
      </span>
    </code>
  )
}
