// Totals of a shopping cart. Prices are cents.

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
