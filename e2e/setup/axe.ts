// What a machine can see of accessibility, in both themes and without motion.
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** The page as it stands breaks no rule, light or dark; `name` tells of which page a failure speaks. */
export async function expectClean(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${String(target)} ${html}`),
    )
    expect.soft(found, `${name}, ${colorScheme}`).toEqual([])
  }
}
