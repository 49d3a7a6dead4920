import { expect, it } from 'vitest'
import { countCasts } from './check-casts.mjs'

it.each([
  ['a cast', 'const a = b as string', 1],
  ['a cast through unknown as two', 'const a = b as unknown as string', 2],
  ['casts within expressions', 'f((a as A).b, [c as C])', 2],
  ['no const assertion', "const a = ['x'] as const", 0],
  ['no alias of an import or an export', "import { a as b } from './a.ts'\nexport { b as c }", 0],
  ['no text', "const a = 'b as string' // c as string", 0],
])('counts %s', (_, text, count) => {
  expect(countCasts('file.ts', text)).toBe(count)
})
