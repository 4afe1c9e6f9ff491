/** Names that strangers gave, looked up where only our own are known: no name finds what every object inherits. */

/** The value under a name of the record's own. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Whether a name can be the last part of a key of the messages: a plain word, and none that objects inherit. */
export const isPlainKey = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]{0,99}$/.test(name) && !(name in Object.prototype)
