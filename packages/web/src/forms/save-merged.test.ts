import { describe, expect, it } from 'vitest'
import { saveMerged, withTheirs } from './save-merged.ts'

const first = { name: 'Shop', tags: ['web'], request: { url: 'https://a.example', timeout: 10 } }
type Check = typeof first

/** A server that refuses to store what wasn't made of its newest version, and on which others save as well. */
class Server {
  stored: Check
  /** What others store after each reading. */
  readonly others: Partial<Check>[]

  constructor(stored: Check, ...others: Partial<Check>[]) {
    this.stored = stored
    this.others = others
  }

  reload = async (): Promise<Check> => {
    const read = this.stored
    const other = this.others.shift()
    if (other !== undefined) this.stored = { ...read, ...other }
    return read
  }

  store = async (next: Check, from: Check): Promise<'saved' | 'changed'> => {
    if (from !== this.stored) return 'changed'
    this.stored = next
    return 'saved'
  }
}

describe('saving what someone else saves as well', () => {
  it('merges fields that only one of them has changed', async () => {
    const server = new Server({ ...first, tags: ['web', 'shop'] })
    expect(await saveMerged({ ...first, name: 'Store' }, first, server)).toBe('saved')
    expect(server.stored).toEqual({ ...first, name: 'Store', tags: ['web', 'shop'] })
  })

  it('merges again after a 412: they saved between reading and writing', async () => {
    const server = new Server(first, { tags: ['one'] }, { tags: ['two'] })
    const mine = { ...first, request: { ...first.request, timeout: 20 } }
    expect(await saveMerged(mine, first, server)).toBe('saved')
    expect(server.stored).toEqual({ ...mine, tags: ['two'] })
  })

  it('asks if a 412 comes from the same field, and saves what was chosen', async () => {
    const server = new Server(first, { name: 'Theirs', tags: ['theirs'] })
    const mine = { ...first, name: 'Mine' }
    const clash = await saveMerged(mine, first, server)
    const theirs = { ...first, name: 'Theirs', tags: ['theirs'] }
    const conflicts = [{ path: 'name', mine: 'Mine', theirs: 'Theirs' }]
    expect(clash).toEqual({ conflicts, current: theirs })
    expect(server.stored).toEqual(theirs)
    const chosen = { ...withTheirs(mine, first, theirs), name: 'Mine' }
    expect(await saveMerged(chosen, theirs, server)).toBe('saved')
    expect(server.stored).toEqual({ ...first, name: 'Mine', tags: ['theirs'] })
  })

  it('asks again if they saved the same field while someone chose', async () => {
    const server = new Server({ ...first, name: 'Third' })
    const second = { ...first, name: 'Second' }
    const clash = await saveMerged({ ...second, name: 'Mine' }, second, server)
    expect(clash).toMatchObject({ conflicts: [{ path: 'name', mine: 'Mine', theirs: 'Third' }] })
  })

  it('gives up after three times, and overwrites nothing', async () => {
    const server = new Server(first, { tags: ['1'] }, { tags: ['2'] }, { tags: ['3'] }, { tags: ['4'] })
    expect(await saveMerged({ ...first, name: 'Mine' }, first, server)).toBe('busy')
    expect(server.stored).toEqual({ ...first, tags: ['3'] })
  })

  it('does not try again what the server refuses for another reason', async () => {
    let count = 0
    const store = async () => {
      count++
      return 'failed' as const
    }
    const reload = async () => first
    expect(await saveMerged({ ...first, name: 'Mine' }, first, { reload, store })).toBe('failed')
    expect(count).toBe(1)
  })
})
