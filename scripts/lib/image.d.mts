export function ensureSandboxImage(options?: {
  dockerHost?: string
  cacheFolder?: string
  note?: (text: string) => void
  base?: string
}): Promise<string>
