// The sample project of the demo: a small shop cart whose test fails. Path → text, ready to be written or packed.

export const SAMPLE_PROJECT_NAME = 'Sample: shop cart'

/** What a person may send to see the whole job. */
export const SAMPLE_REQUEST = 'The tests fail. Please find out why and fix it.'

export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'README.md': `# Shop cart

A tiny Node project without dependencies. One of its tests fails.

Run the tests with \`npm test\` (or \`node --test\`).
`,
  'AGENTS.md': `# Working here

- Plain JavaScript, ES modules, no dependencies.
- Run the tests with \`node --test\` before you say that you are done.
- Change the code, not the tests.
`,
  'package.json': `${JSON.stringify(
    { name: 'shop-cart', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  'src/cart.js': `// Totals of a shopping cart. Prices are cents.

export function subtotal(items) {
  return items.reduce((sum, item) => sum + item.price, 0)
}

export function discount(cents, percent) {
  return Math.round((cents * percent) / 100)
}

export function total(items, percent = 0) {
  const before = subtotal(items)
  return before - discount(before, percent)
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discount, subtotal, total } from '../src/cart.js'

const items = [
  { name: 'tea', price: 450, quantity: 2 },
  { name: 'cup', price: 1200, quantity: 1 },
]

test('the subtotal counts every piece', () => {
  assert.equal(subtotal(items), 2100)
})

test('a discount is rounded to a cent', () => {
  assert.equal(discount(999, 10), 100)
})

test('the total takes the discount off', () => {
  assert.equal(total(items, 10), 1890)
})
`,
}
