import type { TokenScope } from '../../../protocol/access.ts'

type ScopeKey<S extends string> = S extends `${infer What}:${infer May}` ? `${What}_${May}` : never

/** A scope as a key of the catalogues, which may hold no colon. */
export const scopeKey = <S extends TokenScope>(scope: S): ScopeKey<S> =>
  scope.replace(':', '_') as ScopeKey<S>
