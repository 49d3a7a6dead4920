import { describe, expect, it } from 'vitest'
import { openPasswordHasher } from './password-hasher.ts'

const hasher = openPasswordHasher()

describe('a hash', () => {
  it('matches its password only, and never repeats', async () => {
    const [hash, again] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')]
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(again).not.toBe(hash)
    expect(await hasher.verify('correct horse', hash)).toBe(true)
    expect(await hasher.verify('Correct horse', hash)).toBe(false)
    expect(hasher.isOutdated(hash)).toBe(false)
  })

  it('has its own parameters, so that older ones stay valid', async () => {
    const parameters: unknown[] = []
    const recording = openPasswordHasher(async (given) => {
      parameters.push(given)
      return Buffer.alloc(16)
    })
    const old = `$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$${Buffer.alloc(16).toString('base64').replaceAll('=', '')}`
    expect(await recording.verify('x', old)).toBe(true)
    expect(parameters).toEqual([
      { memory: 64, passes: 1, parallelism: 1, nonce: Buffer.from('saltsalt'), tagLength: 16, message: 'x' },
    ])
    expect(recording.isOutdated(old)).toBe(true)
  })

  it('is the same for an accented letter, however it was composed', async () => {
    expect(await hasher.verify('caf\u00e9 au lait', await hasher.hash('cafe\u0301 au lait'))).toBe(true)
  })

  it('is computed for unknown users too, with the same parameters', async () => {
    const costs: unknown[] = []
    const recording = openPasswordHasher(async ({ memory, passes, parallelism, tagLength }) => {
      costs.push({ memory, passes, parallelism, tagLength })
      return Buffer.alloc(tagLength)
    })
    const stored = await recording.hash('x')
    expect(await recording.verify('x', stored)).toBe(true)
    expect(await recording.verify('x', null)).toBe(false)
    expect(costs).toEqual([costs[0], costs[0], costs[0]])
  })
})

it('computes two hashes at a time, and refuses those beyond a full queue', async () => {
  let running = 0
  let most = 0
  const turns: (() => void)[] = []
  const slow = openPasswordHasher(async ({ tagLength }) => {
    running += 1
    most = Math.max(most, running)
    await new Promise<void>((resolve) => turns.push(resolve))
    running -= 1
    return Buffer.alloc(tagLength)
  })
  const accepted = Array.from({ length: 52 }, () => slow.hash('x'))
  await expect(slow.hash('x')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
  let done = 0
  const all = Promise.all(accepted.map((hash) => hash.then(() => (done += 1))))
  while (done < accepted.length) {
    turns.shift()?.()
    await new Promise(setImmediate)
  }
  await all
  expect(most).toBe(2)
  const later = slow.hash('x')
  await new Promise(setImmediate)
  turns.shift()?.()
  expect(await later).toContain('$argon2id$')
})
