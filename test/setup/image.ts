// The sandbox image for tests that run a real container: the test command names it, else it is built here.
import { ensureSandboxImage } from '../../scripts/lib/image.mjs'

export const testImage = async (): Promise<string> => {
  const given = process.env.BATON_SANDBOX_IMAGE
  return given !== undefined && given !== '' ? given : ensureSandboxImage()
}
