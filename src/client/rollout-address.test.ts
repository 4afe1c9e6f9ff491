import { expect, it } from 'vitest'
import { newId } from '../protocol/ids.ts'
import type { RolloutRow } from '../protocol/rollout.ts'
import {
  isWhole,
  noAddress,
  parseAddress,
  placeOfRow,
  type RolloutAddress,
  writeAddress,
} from './rollout-address.ts'

const read = (text: string): RolloutAddress => parseAddress(new URLSearchParams(text))

it('says and reads the same place, filter, tab and words', () => {
  const addresses: RolloutAddress[] = [
    noAddress,
    { ...noAddress, at: { stepId: newId('stp') }, tab: 'raw', against: newId('stp') },
    { ...noAddress, at: { itemId: newId('itm') }, find: 'a & b = "c" #?' },
    { ...noAddress, at: { turnId: newId('trn') } },
    { ...noAddress, at: { seq: 4_711 } },
    { ...noAddress, at: { idx: 0 } },
    {
      ...noAddress,
      filter: {
        kinds: ['step', 'tool'],
        tools: ['exec_command', 'a.b,c'],
        errors: true,
        minDurationMs: 5_000,
        minCostMicros: 10_000,
        windowId: newId('win'),
        turnId: newId('trn'),
      },
    },
  ]
  for (const address of addresses) expect(read(writeAddress(address))).toEqual(address)
})

it('leaves out what it does not understand', () => {
  expect(read('?s=stp_1&tab=all&kind=foo.step&longer=-1&costlier=x&window=win&vs=1&errors=yes')).toEqual({
    ...noAddress,
    filter: { kinds: ['step'] },
  })
  expect(read('?e=12abc&i=<script>').at).toBeNull()
  expect(isWhole(read('?kind=').filter)).toBe(true)
})

it('names a row by what lasts', () => {
  const row = { idx: 3, seq: 9, kind: 'step', stepId: newId('stp'), itemId: null } as RolloutRow
  expect(placeOfRow(row)).toEqual({ stepId: row.stepId })
  expect(placeOfRow({ ...row, kind: 'tool', itemId: newId('itm') })).toHaveProperty('itemId')
  expect(placeOfRow({ ...row, kind: 'marker' })).toEqual({ seq: 9 })
})
