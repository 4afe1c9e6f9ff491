/**
 * A request's body for a snapshot: ids and days, which differ from run to run, are numbered or left out, and so are
 * tools and base instructions, which have tests of their own.
 */
export const shownRequest = (body = '{}'): string => {
  const ids = new Map<string, string>()
  return JSON.stringify({ ...JSON.parse(body), tools: '(tools)' }, null, 1)
    .replace(/"You are Baton(?:[^"\\]|\\.)*"/g, '"(base instructions)"')
    .replace(/\b(win|itm|stp|thr)_[0-9a-f-]{36}/g, (id, prefix: string) => {
      const known = ids.get(id) ?? `(${prefix} ${ids.size})`
      ids.set(id, known)
      return known
    })
    .replace(/<date>[^<]*</g, '<date>(date)<')
}
