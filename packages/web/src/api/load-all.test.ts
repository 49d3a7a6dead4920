import { describe, expect, it } from 'vitest'
import { loadAll, loadAllByCursor } from './load-all.ts'

const numbers = Array.from({ length: 2345 }, (_, index) => index)

describe('all pages of a list', () => {
  it('are loaded in order, few at a time', async () => {
    let running = 0
    let most = 0
    const all = await loadAll(async (page) => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      return { entries: numbers.slice((page - 1) * 100, page * 100), total: numbers.length }
    })
    expect(all).toEqual(numbers)
    expect(most).toBe(4)
  })

  it('need one request if there is nothing', async () => {
    const asked: number[] = []
    const load = async (page: number) => {
      asked.push(page)
      return { entries: [], total: 0 }
    }
    expect(await loadAll(load)).toEqual([])
    expect(asked).toEqual([1])
  })

  it('are followed by cursor', async () => {
    const all = await loadAllByCursor(async ({ nextId = '0' }) => {
      const end = Number(nextId) + 100
      return {
        entries: numbers.slice(Number(nextId), end),
        nextId: end < numbers.length ? String(end) : null,
      }
    })
    expect(all).toEqual(numbers)
  })
})
