import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Pool } from '../storage/core/db.ts'
import { type Caller, startTestApi, type TestApi } from '../testing/api.ts'
import { systemClock } from '../testing/system-clock.ts'
import { AccountOverview } from './account-overview.ts'

let api: TestApi
let owner: Caller
beforeAll(async () => {
  api = await startTestApi()
  owner = await api.newAccount()
})
afterAll(() => api.close())

const newCheck = async (name: string): Promise<string> =>
  (await owner.post('/v1/checks/api', { ...checkTypes.API.example, name })).body.id

const rename = (id: string, name: string) => owner.put(`/v1/checks/api/${id}`, { name })

/** As another server would keep it. */
const newOverview = (pool: Pool = api.store.pool) =>
  new AccountOverview(owner.accountId, { pool, clock: systemClock })

/** The statements that were sent through the pool, and which of them fail. */
function observedPool(fails: () => boolean = () => false): { pool: Pool; statements: string[] } {
  const statements: string[] = []
  const pool = new Proxy(api.store.pool, {
    get(target, property, receiver) {
      if (property !== 'query') return Reflect.get(target, property, receiver)
      return (...given: [{ name?: string } | string]) => {
        const [statement] = given
        statements.push(typeof statement === 'string' ? statement : (statement.name ?? ''))
        return fails()
          ? Promise.reject(new Error('the store is down'))
          : Reflect.apply(target.query, target, given)
      }
    },
  })
  return { pool, statements }
}

const namesOf = (overview: AccountOverview) => overview.entries.map(({ row }) => row.name)

describe('the overview of an account', () => {
  it('finds a change that commits after a later one', async () => {
    const [first, second] = [await newCheck('first'), await newCheck('second')]
    const overview = newOverview()
    await overview.refresh()
    const late = await api.store.pool.connect()
    await late.query('begin')
    await late.query("update checks set name = 'changed first' where id = $1", [first])
    await rename(second, 'changed second')
    await overview.refresh()
    expect(namesOf(overview)).toEqual(['changed second', 'first'])
    await late.query('commit')
    late.release()
    await overview.refresh()
    expect(namesOf(overview)).toEqual(['changed first', 'changed second'])
    const { revision } = overview
    await overview.refresh()
    expect(overview.changedSince(revision)).toEqual({ entries: [], total: 0 })
    await owner.delete(`/v1/checks/${first}`)
    await newCheck('third')
    await overview.refresh()
    expect(namesOf(overview)).toEqual(['changed second', 'third'])
    expect(overview.changedSince(revision).total).toBe(2)
  })

  it('loses nothing when a statement fails', async () => {
    const id = await newCheck('before')
    let left = Number.POSITIVE_INFINITY
    const { pool, statements } = observedPool(() => left-- <= 0)
    const overview = newOverview(pool)
    // While a transaction of another test is older than the account, all checks are read.
    const read = async () => {
      await rename(id, 'renamed')
      await overview.refresh()
      return statements
    }
    await expect.poll(read).toContain('overview_of_checks')
    for (let succeeding = 0; succeeding < 6; succeeding++) {
      await rename(id, `name ${succeeding}`)
      left = succeeding
      await overview.refresh().catch((error: Error) => expect(error.message).toBe('the store is down'))
      left = Number.POSITIVE_INFINITY
      await overview.refresh()
      expect(overview.get(id)?.row.name).toBe(`name ${succeeding}`)
      expect(overview.get(id)?.state.state).toBe('unknown')
    }
  })

  it('is read once for callers that ask at the same time, after they asked', async () => {
    const { pool, statements } = observedPool()
    const overview = newOverview(pool)
    await Promise.all(Array.from({ length: 20 }, () => overview.refresh()))
    expect(statements.filter((name) => name === 'read_account_changes')).toHaveLength(2)
  })

  it('is empty for an account that was deleted', async () => {
    const overview = new AccountOverview(crypto.randomUUID(), { pool: api.store.pool, clock: systemClock })
    await overview.refresh()
    expect(overview.entries).toEqual([])
  })
})
