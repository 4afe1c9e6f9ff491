import { expect, test } from 'vitest'
import { localeOf } from './locales.ts'

test('a language that was chosen wins over what the browser accepts', () => {
  expect(localeOf('zh-CN', 'en-US,en;q=0.9')).toBe('zh-CN')
  expect(localeOf('en', 'zh-CN')).toBe('en')
})

test('without a choice the first language that exists here decides, by its weight', () => {
  expect(localeOf(undefined, 'zh-CN,zh;q=0.9,en;q=0.8')).toBe('zh-CN')
  expect(localeOf(undefined, 'en;q=0.5, zh;q=0.7')).toBe('zh-CN')
  expect(localeOf(undefined, 'fr, de;q=0.9, zh-Hant-TW;q=0.2')).toBe('zh-CN')
  expect(localeOf(undefined, 'zh;q=0, en;q=0.1')).toBe('en')
})

test('what is no language at all is English', () => {
  for (const accepted of [
    undefined,
    null,
    '',
    '*',
    'fr',
    'constructor',
    'zh;q=x',
    ';;,,',
    'x'.repeat(100_000),
  ])
    expect(localeOf(undefined, accepted)).toBe('en')
  expect(localeOf('__proto__', null)).toBe('en')
  expect(localeOf('zh-TW', null)).toBe('en')
})
