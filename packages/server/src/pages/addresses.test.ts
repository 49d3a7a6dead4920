import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

it('docs/architecture.md lists the prefixes of all addresses', () => {
  const architecture = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8')
  const table = architecture.slice(
    architecture.indexOf('### Addresses'),
    architecture.indexOf('### Public pages'),
  )
  const listed = [...table.matchAll(/^\| `(\/[^`]*)`/gm)].map(([, prefix]) => prefix)
  const mounted = api.paths.map((path) => `/${path.split('/')[1]}`)
  expect([...new Set(mounted)].sort()).toEqual(listed.sort())
})
