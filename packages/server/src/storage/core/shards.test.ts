import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { readShards } from './distribution.ts'
import { groupByNode, groupByShard, useShards, uuidHash } from './shards.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => useShards(await readShards(database.store.pool)))
afterAll(() => database.drop())

const itself = (id: string) => id

describe('shards', () => {
  it('have the hash that PostgreSQL computes', async () => {
    const ids = Array.from({ length: 200 }, () => randomUUID())
    const { rows } = await database.store.pool.query<{ hash: number }>(
      'select uuid_hash(id) as hash from unnest($1::uuid[]) with ordinality as t (id, n) order by n',
      [ids],
    )
    expect(ids.map(uuidHash)).toEqual(rows.map(({ hash }) => hash))
  })

  it('are one group if history is not distributed', () => {
    useShards([])
    const ids = [randomUUID(), randomUUID()]
    expect(groupByShard(ids, itself)).toEqual([ids])
    expect(groupByShard([], itself)).toEqual([])
  })

  it('divide checks by hash, and machines by shard', () => {
    const quarter = 2 ** 30
    useShards([-2, -1, 0, 1].map((n) => ({ start: n * quarter, node: Math.abs(n) % 2 })))
    const ids = Array.from({ length: 100 }, () => randomUUID())
    const groups = groupByShard(ids, itself)
    expect(groups.flat().sort()).toEqual(ids.toSorted())
    for (const group of groups) {
      expect(new Set(group.map((id) => Math.floor(uuidHash(id) / quarter))).size).toBe(1)
    }
    expect(groupByNode(ids, itself)).toHaveLength(2)
  })
})
