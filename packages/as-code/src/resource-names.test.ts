import { describe, expect, it } from 'vitest'
import { type AccountResources, noResources } from './account-resources.ts'
import { nameResources } from './resource-names.ts'
import { environmentExample, SecretNames } from './secret-names.ts'

type Snippet = AccountResources['snippets'][number]
type Service = AccountResources['services'][number]
type Location = AccountResources['privateLocations'][number]

const times = { created_at: '2026-11-15T08:00:00.000Z', updated_at: null }
const snippet = (id: number, name: string, script = ''): Snippet => ({ id, name, script, ...times })
const service = (id: string, name: string): Service => ({ id, name, accountId: 'account', ...times })

const location = (id: string, slugName: string, logicalId?: string): Location => ({
  ...{ id, slugName, name: slugName, icon: 'location', keys: [], agentCount: 0, queueSize: 0 },
  ...{ lastSeen: null, proxyUrl: null, ...times, ...(logicalId !== undefined && { logicalId }) },
})

describe('names of resources', () => {
  it('come from the names, and are the same in any order and with other ids', () => {
    const first = nameResources({
      ...noResources,
      snippets: [snippet(1, "Anna's"), snippet(2, 'same', 'b'), snippet(3, 'same', 'a')],
    })
    const second = nameResources({
      ...noResources,
      snippets: [snippet(9, 'same', 'a'), snippet(8, 'same', 'b'), snippet(7, "Anna's")],
    })
    expect(first.of('snippet', 1)).toEqual({ logicalId: 'anna-s', variable: 'annaSSnippet' })
    expect(first.of('snippet', 3)).toEqual({ logicalId: 'same', variable: 'sameSnippet' })
    expect(first.of('snippet', 2)).toEqual({ logicalId: 'same-2', variable: 'same2Snippet' })
    for (const [one, other] of [
      [1, 7],
      [2, 8],
      [3, 9],
    ] as const)
      expect(first.of('snippet', one)).toEqual(second.of('snippet', other))
    expect(first.of('snippet', 4)).toBeUndefined()
  })

  it('are unique per kind, variables in the whole export', () => {
    const names = nameResources({
      ...noResources,
      services: [service('a', 'Shop'), service('b', 'shop!'), service('c', '東京'), service('d', '1')],
      snippets: [snippet(1, 'shop')],
    })
    expect(names.of('snippet', 1)).toEqual({ logicalId: 'shop', variable: 'shopSnippet' })
    expect(names.of('status-page-service', 'a')).toEqual({ logicalId: 'shop', variable: 'shopService' })
    expect(names.of('status-page-service', 'b')).toEqual({ logicalId: 'shop-2', variable: 'shop2Service' })
    expect(names.of('status-page-service', 'c')?.variable).toBe('resourceService')
    expect(names.of('status-page-service', 'd')?.variable).toBe('item1Service')
  })

  it('of resources of a project stay, unless two projects use the same one', () => {
    const privateLocations = [
      location('a', 'office', 'hq'),
      location('b', 'hq'),
      location('c', 'west', 'twice'),
      location('d', 'east', 'twice'),
    ]
    const names = nameResources({ ...noResources, privateLocations })
    const logicalIds = privateLocations.map(({ id }) => names.of('private-location', id)?.logicalId)
    expect(logicalIds).toEqual(['hq', 'hq-2', 'west', 'east'])
  })
})

it('names a variable for each secret', () => {
  const secrets = new SecretNames()
  const owner = { resource: 'check "Orders"', logicalId: 'orders' }
  expect(secrets.nameOf(owner, 'TOKEN')).toBe('ORDERS_TOKEN')
  expect(secrets.nameOf(owner, 'TOKEN')).toBe('ORDERS_TOKEN')
  expect(secrets.nameOf({ ...owner, resource: 'check group "Orders"' }, 'TOKEN')).toBe('ORDERS_TOKEN_2')
  expect(secrets.nameOf({ resource: 'snippet', logicalId: '1' }, 'a key')).toBe('_1_A_KEY')
  expect(secrets.list().map(({ variable }) => variable)).toEqual([
    'ORDERS_TOKEN',
    'ORDERS_TOKEN_2',
    '_1_A_KEY',
  ])
  expect(environmentExample(secrets).text).toContain('# TOKEN of check "Orders"\nORDERS_TOKEN=\n')
})
