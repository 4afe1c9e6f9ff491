import assert from 'node:assert/strict'
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
