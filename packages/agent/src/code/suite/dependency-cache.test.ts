import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyTree } from './copy-tree.ts'
import { openDependencyCache } from './dependency-cache.ts'
import { harvestInstall, markNow } from './install-packages.ts'

let base: string
let time: number
const signal = new AbortController().signal
const limits = { bytes: 1_000_000, entries: 1_000 }
const alice = '00000000-0000-4000-8000-00000000000a'
const bob = '00000000-0000-4000-8000-00000000000b'
const key = (digit: string) => digit.repeat(64)

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-cache-'))
  time = Date.parse('2026-11-15T00:00:00Z')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const open = (maxBytes = 1_000) =>
  openDependencyCache({ folder: join(base, 'cache'), maxBytes, now: () => time })

async function store(cache: Awaited<ReturnType<typeof open>>, account: string, name: string, bytes: number) {
  const staged = await cache.stage()
  writeFileSync(join(staged, 'f'), 'x'.repeat(bytes))
  await cache.store(account, name, staged, bytes)
}
const read = (tree: string) => Promise.resolve(readFileSync(join(tree, 'f'), 'utf8'))

describe('the cache of packages', () => {
  test('returns an entry only to its account', async () => {
    const cache = await open()
    await store(cache, alice, key('1'), 3)
    expect(await cache.use(alice, key('1'), read)).toBe('xxx')
    expect(await cache.use(bob, key('1'), read)).toBeNull()
    expect(await cache.use(alice, key('2'), read)).toBeNull()
    await expect(cache.use('../x', key('1'), read)).rejects.toThrow('not a cache key')
  })

  test('outlives the agent, but not what a killed one had not finished', async () => {
    const first = await open()
    await store(first, alice, key('1'), 3)
    const staged = await first.stage()
    writeFileSync(join(staged, 'f'), 'half')
    // An entry without its metadata is ignored.
    mkdirSync(join(base, 'cache', alice, key('2'), 'tree'), { recursive: true })
    const second = await open()
    expect(existsSync(staged)).toBe(false)
    expect(await second.use(alice, key('1'), read)).toBe('xxx')
    expect(await second.use(alice, key('2'), read)).toBeNull()
  })

  test('does not fail runs if it cannot store an entry or contains other files', async () => {
    const cache = await open()
    writeFileSync(join(base, 'cache', alice), '')
    const staged = await cache.stage()
    expect(await cache.store(alice, key('1'), staged, 3)).toBe(false)
    await cache.discard(staged)
    await cache.sweep()
    expect(await cache.use(alice, key('1'), read)).toBeNull()
    expect(existsSync(staged)).toBe(false)
  })

  test('replaces an entry by a fresh one', async () => {
    const cache = await open()
    await store(cache, alice, key('1'), 3)
    await store(cache, alice, key('1'), 5)
    expect(await cache.use(alice, key('1'), read)).toBe('xxxxx')
  })

  test('drops the least recently used over its size, and all that is older than 30 days', async () => {
    const cache = await open(10)
    await store(cache, alice, key('1'), 4)
    time += 1_000
    await store(cache, bob, key('2'), 4)
    time += 1_000
    await cache.use(alice, key('1'), read)
    time += 1_000
    await store(cache, alice, key('3'), 4)
    expect(await cache.use(alice, key('1'), read)).toBe('xxxx')
    expect(await cache.use(bob, key('2'), read)).toBeNull()
    expect(await cache.use(alice, key('3'), read)).toBe('xxxx')
    time += 31 * 24 * 3_600_000
    await cache.sweep()
    expect(await cache.use(alice, key('3'), read)).toBeNull()
  })

  test('keeps what is in use, and takes nothing larger than itself', async () => {
    const cache = await open(10)
    await store(cache, alice, key('1'), 4)
    await cache.use(alice, key('1'), async (tree) => {
      time += 31 * 24 * 3_600_000
      await cache.sweep()
      expect(await read(tree)).toBe('xxxx')
    })
    await store(cache, alice, key('2'), 11)
    expect(await cache.use(alice, key('2'), read)).toBeNull()
  })
})

describe('the output of an install', () => {
  test('is copied without the bundle and without following links, and other files are listed', async () => {
    const suite = join(base, 'suite')
    mkdirSync(join(suite, 'src'), { recursive: true })
    writeFileSync(join(suite, 'package.json'), '{}')
    writeFileSync(join(suite, 'src/a.ts'), 'a')
    const bundle = new Map([
      ['package.json', 'file'],
      ['src', 'directory'],
      ['src/a.ts', 'file'],
    ])
    const mark = await markNow(join(base, 'mark'))
    // The clock of files is a coarse one.
    const until = Date.now() + 1_000
    while ((await markNow(join(base, 'later'))) <= mark && Date.now() < until);
    mkdirSync(join(suite, 'node_modules/x'), { recursive: true })
    writeFileSync(join(suite, 'node_modules/x/run'), '#!/bin/sh', { mode: 0o4755 })
    symlinkSync('/etc', join(suite, 'node_modules/etc'))
    const into = join(base, 'into')
    mkdirSync(into)
    const options = { bundle, mark, signal }
    const first = await harvestInstall(suite, into, options)
    expect(first.others).toEqual([])
    expect(existsSync(join(into, 'src'))).toBe(false)
    expect(existsSync(join(into, 'package.json'))).toBe(false)
    expect(readFileSync(join(into, 'node_modules/x/run'), 'utf8')).toBe('#!/bin/sh')
    expect(first.entries).toBe(4)
    writeFileSync(join(suite, 'src/a.ts'), 'changed')
    writeFileSync(join(suite, 'src/built.js'), 'b')
    const second = await harvestInstall(suite, into, options)
    expect(second.others.sort()).toEqual(['src/a.ts', 'src/built.js'])
    mkdirSync(join(base, 'x'))
    await expect(
      copyTree(suite, join(base, 'x'), { limits: { bytes: 3, entries: 99 }, signal }),
    ).rejects.toThrow(/larger/)
    mkdirSync(join(suite, ...Array(16).fill('d'.repeat(200))), { recursive: true })
    await expect(copyTree(suite, join(base, 'x'), { limits, signal })).rejects.toThrow(
      /path of more than 3000 characters: .* Remove it\.$/,
    )
  })

  test('copied over a bundle never goes through its links', async () => {
    const outside = join(base, 'outside')
    const [from, to] = [join(base, 'from'), join(base, 'to')]
    mkdirSync(outside)
    mkdirSync(join(from, 'node_modules'), { recursive: true })
    writeFileSync(join(from, 'node_modules/f'), 'evil')
    writeFileSync(join(from, 'g'), 'evil')
    mkdirSync(to)
    symlinkSync(outside, join(to, 'node_modules'))
    symlinkSync(join(outside, 'g'), join(to, 'g'))
    await copyTree(from, to, { limits, signal })
    expect(readFileSync(join(to, 'node_modules/f'), 'utf8')).toBe('evil')
    expect(existsSync(join(outside, 'f'))).toBe(false)
    expect(existsSync(join(outside, 'g'))).toBe(false)
  })
})
