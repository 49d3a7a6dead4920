import { expect, it } from 'vitest'
import { groupAsCurl } from './group-code.ts'

const group = {
  ...{
    id: 4,
    name: 'Shop',
    tags: ['shop'],
    locations: ['eu-central-1'],
    concurrency: 3,
    retryStrategy: 'FALLBACK',
  },
  apiCheckDefaults: { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: null },
  environmentVariables: [{ key: 'SHOP_TOKEN', value: null, secret: true, locked: false }],
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: null, runParallel: null },
}

it('a group is a request that creates it with what it enforces, without secrets', () => {
  const curl = groupAsCurl(group, { origin: 'https://vedette.example', accountId: 'a1' })
  expect(curl).toContain("'https://vedette.example/v2/check-groups'")
  expect(curl).toContain('$SHOP_TOKEN')
  expect(curl).not.toMatch(/concurrency|retryStrategy|apiCheckDefaults|created_at|runParallel/)
})
