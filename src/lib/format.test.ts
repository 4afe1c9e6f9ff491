import { expect, it } from 'vitest'
import { formatBytes, formatClock, formatCount, formatDuration, formatMoney } from './format.ts'

it('says durations with the two units that matter', () => {
  expect([180, 4_180, 42_000, 252_000, 7_500_000, 200_000_000].map((ms) => formatDuration(ms))).toEqual([
    '0.1 s',
    '4.1 s',
    '42 s',
    '4 m 12 s',
    '2 h 5 m',
    '2 d 7 h',
  ])
})

it('shows clocks, money, counts and bytes', () => {
  expect([formatClock(134_000), formatClock(3_661_000)]).toEqual(['2:14', '1:01:01'])
  expect([0, 4_000, 410_000, 12_345_678].map(formatMoney)).toEqual(['$0.00', '< $0.01', '$0.41', '$12.35'])
  expect([7, 48_120, 128_000, 2_400_000].map(formatCount)).toEqual(['7', '48.1k', '128k', '2.4M'])
  expect([12, 1_536, 5_242_880].map(formatBytes)).toEqual(['12 B', '1.5 KB', '5.0 MB'])
})

it('the units of a duration may be words of another language', () => {
  const words = { ms: '毫秒', s: '秒', m: '分', h: '小时', d: '天' }
  const chinese = (ms: number): string => formatDuration(ms, (unit, value) => `${value} ${words[unit]}`)
  expect([4_180, 252_000, 7_500_000, 200_000_000].map(chinese)).toEqual([
    '4.1 秒',
    '4 分 12 秒',
    '2 小时 5 分',
    '2 天 7 小时',
  ])
})
