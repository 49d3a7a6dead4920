import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const loadFile = createRequire(import.meta.url)
let modules: string

beforeAll(() => {
  modules = mkdtempSync(join(tmpdir(), 'vedette-defer-'))
  vi.stubEnv('VEDETTE_PATHS', JSON.stringify({ modules, work: modules, cache: null }))
})

afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(modules, { recursive: true })
  // paths.cjs keeps the directory.
  for (const file of Object.keys(loadFile.cache)) if (file.includes('/programs/')) delete loadFile.cache[file]
})

function write(name: string): string {
  mkdirSync(join(modules, name))
  writeFileSync(
    join(modules, name, 'bundle.js'),
    `globalThis['${name}'] = true
exports.add = (a, b) => a + b
exports.kinds = { isWord: (text) => /^\\w+$/.test(text) }
exports.Box = class { constructor(value) { this.value = value } }`,
  )
  // As Playwright's modules read their bundles.
  writeFileSync(
    join(modules, name, 'reader.js'),
    `const add = require('./bundle').add
const kinds = require('./bundle').kinds
const Box = require('./bundle').Box
module.exports = { add, kinds, Box }`,
  )
  return join(modules, name)
}

const isLoaded = (name: string) => name in globalThis

describe('a deferred module', () => {
  const uses: [string, (reader: Reader) => unknown, unknown][] = [
    ['a function is called', ({ add }) => add(1, 2), 3],
    ['an object is read', ({ kinds }) => kinds.isWord('word'), true],
    ['a class is constructed', ({ Box }) => new Box(5).value, 5],
  ]

  it.each(uses)('is loaded when %s', (use, act, expected) => {
    const folder = write(use)
    loadFile('./programs/load-ahead.cjs').defer(`${use}/bundle.js`)
    const reader = loadFile(join(folder, 'reader.js'))
    expect(isLoaded(use)).toBe(false)
    expect(act(reader)).toBe(expected)
    expect(isLoaded(use)).toBe(true)
  })

  it('is loaded when an export of its namespace is used', () => {
    const folder = write('namespace')
    loadFile('./programs/load-ahead.cjs').defer('namespace/bundle.js')
    const namespace = importAll(join(folder, 'bundle.js'))
    expect(isLoaded('namespace')).toBe(false)
    expect(namespace.add?.(1, 2)).toBe(3)
    expect(Object.keys(importAll(join(folder, 'bundle.js')))).toEqual(['add', 'kinds', 'Box'])
  })

  it('is loaded by the functions that replace some of its own, when they need it', () => {
    const folder = write('replaced')
    const replace = (genuine: () => Reader) => ({
      add: (a: number, b: number) => (a === 0 ? b : genuine().add(a, b)),
    })
    loadFile('./programs/load-ahead.cjs').defer('replaced/bundle.js', replace)
    const { add } = loadFile(join(folder, 'reader.js'))
    expect(add(0, 7)).toBe(7)
    expect(isLoaded('replaced')).toBe(false)
    expect(add(1, 2)).toBe(3)
    expect(isLoaded('replaced')).toBe(true)
  })

  it('is left alone if it does not exist', () => {
    loadFile('./programs/load-ahead.cjs').defer('absent/bundle.js')
    expect(Object.keys(loadFile.cache)).not.toContain(join(modules, 'absent/bundle.js'))
  })
})

/** `import *`, as compiled modules do it. */
function importAll(file: string): Partial<Reader> {
  const found = loadFile(file)
  const target = Object.create(Object.getPrototypeOf(found))
  for (const name of Object.getOwnPropertyNames(found))
    Object.defineProperty(target, name, { get: () => found[name], enumerable: true })
  return target
}

interface Reader {
  add(a: number, b: number): number
  kinds: { isWord(text: string): boolean }
  Box: new (value: number) => { value: number }
}
