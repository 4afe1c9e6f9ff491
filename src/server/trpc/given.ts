/**
 * JSON has no `undefined`: what a schema calls optional is either there or absent. This says so to the types.
 */
export type Given<T> = T extends (infer Entry)[]
  ? Given<Entry>[]
  : T extends object
    ? { [K in keyof T]: Given<Exclude<T[K], undefined>> }
    : T

/** The value itself, parsed from JSON, typed without `undefined`. */
export const given = <T>(value: T): Given<T> => value as Given<T>
