import { describe, expect, it } from 'vitest'
import { groupAsConstruct, groupAsCurl } from './group-code.ts'

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

describe('a group as code', () => {
  it('is a construct with what it enforces', () => {
    const code = groupAsConstruct(group)
    expect(code).toContain("import { CheckGroupV2 } from 'checkly/constructs'")
    expect(code).toContain("new CheckGroupV2('shop'")
    expect(code).toContain('process.env.SHOP_TOKEN')
    expect(code).not.toMatch(/concurrency|retryStrategy|apiCheckDefaults|created_at|runParallel/)
  })

  it('is a request that creates it, without secrets', () => {
    const curl = groupAsCurl(group, { origin: 'https://vedette.example', accountId: 'a1' })
    expect(curl).toContain("'https://vedette.example/v2/check-groups'")
    expect(curl).toContain('$SHOP_TOKEN')
  })
})
