// The routes as types by method and path, for clients that must not load the schemas: a browser.
import type { AnyRoute } from './route.ts'

/** `expressions`: how the type of each route is written, with the exports of this package as `contracts`. */
export function describeOperations(expressions: ReadonlyMap<AnyRoute, string>): string {
  const lines = [...expressions]
    .map(([{ method, path }, type]) => `  '${method} ${path}': ${type}\n`)
    .sort((a, b) => (a < b ? -1 : 1))
  return `// Generated from the routes of packages/contracts by packages/server/src/generate.ts; do not edit.
import type * as contracts from '@vedette/contracts'

type ValueOf<M> = M extends ReadonlyMap<unknown, infer V> ? V : never

export interface Operations {
${lines.join('')}}
`
}
