import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { replaceDirectory, requireWritable } from './replace-directory.ts'

const folder = mkdtempSync(join(tmpdir(), 'vedette-export-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('replaces an earlier export, keeps other files, and leaves nothing else behind', () => {
  const out = join(folder, 'out')
  replaceDirectory(out, [
    { path: 'README.md', text: 'one' },
    { path: 'resources/old.check.ts', text: '' },
  ])
  writeFileSync(join(out, '.env'), 'A=1')
  replaceDirectory(out, [{ path: 'README.md', text: 'two' }])
  expect(readdirSync(out).sort()).toEqual(['.env', 'README.md'])
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toBe('two')
  expect(readdirSync(folder)).toEqual(['out'])
})

it('changes nothing if a file cannot be written', () => {
  const out = join(folder, 'out')
  const files = [
    { path: 'a', text: '' },
    { path: 'a/b', text: '' },
  ]
  expect(() => replaceDirectory(out, files)).toThrow()
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toBe('two')
  expect(readdirSync(folder)).toEqual(['out'])
})

it('refuses a directory that has files, is a file, or contains the current one', () => {
  const full = join(folder, 'full')
  mkdirSync(full)
  expect(() => requireWritable(full, false)).not.toThrow()
  writeFileSync(join(full, 'file'), '')
  expect(() => requireWritable(full, false)).toThrow("isn't empty")
  expect(() => requireWritable(full, true)).not.toThrow()
  expect(() => requireWritable(join(full, 'file'), true)).toThrow("isn't a directory")
  expect(() => requireWritable('.', true)).toThrow('contains the current directory')
})
