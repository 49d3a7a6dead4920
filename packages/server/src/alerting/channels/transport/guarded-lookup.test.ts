import type { LookupAddress } from 'node:dns'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, it } from 'vitest'
import { guardedLookup, RefusedAddress, type Resolve } from './guarded-lookup.ts'

const policy = networkPolicy({ mode: 'public' }, 'server')

function address(text: string): LookupAddress {
  return { address: text, family: text.includes(':') ? 6 : 4 }
}

/** Calls the lookup like Node's connect does. */
function resolveWith(
  resolve: Resolve,
  options: { all?: boolean; family?: 4 | 6 | 0 } = { all: true },
): Promise<unknown> {
  const look = guardedLookup(policy, resolve)
  return new Promise((settle, fail) => {
    look('hooks.example.com', options, (error, addresses) => (error ? fail(error) : settle(addresses)))
  })
}

describe('a guarded lookup', () => {
  it('returns only permitted addresses', async () => {
    const resolve = async () => [address('10.0.0.1'), address('192.88.99.1'), address('::1')]
    expect(await resolveWith(resolve)).toEqual([address('192.88.99.1')])
    expect(await resolveWith(resolve, { all: false })).toBe('192.88.99.1')
  })

  it('refuses a name with internal addresses only', async () => {
    await expect(resolveWith(async () => [address('10.0.0.1')])).rejects.toThrow(RefusedAddress)
    await expect(resolveWith(async () => [address('fd00::1')])).rejects.toThrow('a unique-local address')
  })

  it('returns addresses of the requested family only', async () => {
    const resolve = async () => [address('192.88.99.1'), address('2a00::1')]
    expect(await resolveWith(resolve, { all: true, family: 6 })).toEqual([address('2a00::1')])
    await expect(resolveWith(async () => [address('2a00::1')], { family: 4 })).rejects.toMatchObject({
      code: 'ENOTFOUND',
    })
  })

  it('passes on errors', async () => {
    const problem = Object.assign(new Error('no'), { code: 'EAI_AGAIN' })
    await expect(resolveWith(() => Promise.reject(problem))).rejects.toBe(problem)
  })

  it('checks every lookup, because a name can change its addresses', async () => {
    const records = [[address('192.88.99.1')], [address('127.0.0.1')]]
    const look = guardedLookup(policy, async () => records.shift() ?? [])
    const next = () =>
      new Promise((settle) => {
        look('rebind.example.com', { all: true }, (error, found) => settle(error ?? found))
      })
    expect(await next()).toEqual([address('192.88.99.1')])
    expect(await next()).toBeInstanceOf(RefusedAddress)
  })

  it('resolves once for concurrent lookups of the same name', async () => {
    let lookups = 0
    const { promise, resolve } = Promise.withResolvers<LookupAddress[]>()
    const look = guardedLookup(policy, () => {
      lookups += 1
      return promise
    })
    const waiting = [1, 2, 3].map(
      () => new Promise((settle) => look('slow.example.com', { all: true }, (_, found) => settle(found))),
    )
    resolve([address('192.88.99.1')])
    expect(await Promise.all(waiting)).toEqual(new Array(3).fill([address('192.88.99.1')]))
    expect(lookups).toBe(1)
  })
})
