import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findInside, plainFileInside, readInside } from './inside-folder.ts'
import { findPlaywright } from './suite/find-playwright.ts'

let base: string
let root: string
const seenAs = '/work/suite'

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-inside-'))
  root = join(base, 'root')
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(base, 'secret'), 'secret')
  writeFileSync(join(root, 'a/b/f'), 'text')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const link = (name: string, to: string) => symlinkSync(to, join(root, name))

describe('a path in an untrusted directory', () => {
  test('is followed through links that stay inside, and no others', async () => {
    link('in', 'a/b')
    link('abs', '/work/suite/a/b/f')
    link('out', '../secret')
    link('host', join(base, 'secret'))
    link('up', 'in/../..')
    link('loop', 'loop')
    expect(await findInside(root, 'in/f', seenAs)).toBe(join(root, 'a/b/f'))
    expect(await findInside(root, 'abs', seenAs)).toBe(join(root, 'a/b/f'))
    expect(await findInside(root, 'up/a', seenAs)).toBe(join(root, 'a'))
    for (const path of ['out', 'host', 'loop', 'up/../x', '../secret', '/etc/passwd', 'nothing'])
      expect(await readInside(root, path, seenAs, 100)).toBeNull()
    expect(await readInside(root, 'in/f', seenAs, 100)).toBe('text')
    expect(await readInside(root, 'in/f', seenAs, 3)).toBeNull()
    expect(await readInside(root, 'a', seenAs, 100)).toBeNull()
  })

  test('is a plain file only without any link', async () => {
    link('in', 'a/b')
    symlinkSync('f', join(root, 'a/b/l'))
    expect(await plainFileInside(root, '/work/suite/a/b/f', seenAs)).toEqual({
      path: join(root, 'a/b/f'),
      size: 4,
    })
    for (const path of [
      '/work/suite/in/f',
      '/work/suite/a/b/l',
      '/work/suite/a',
      '/tmp/f',
      'a/../a/b/f',
      '/work/suite/../f',
    ])
      expect(await plainFileInside(root, path, seenAs)).toBeNull()
  })
})

describe('the suite’s own Playwright', () => {
  const put = (folder: string, version: string) => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ version }))
    writeFileSync(join(root, folder, 'browsers.json'), '{}')
  }

  test('is found hoisted, nested and in a store of links, the nearest first', async () => {
    expect(await findPlaywright(root, '')).toBeNull()
    mkdirSync(join(root, 'node_modules/@playwright/test'), { recursive: true })
    mkdirSync(join(root, 'node_modules/playwright'), { recursive: true })
    put('node_modules/playwright-core', '1.50.0')
    expect(await findPlaywright(root, 'apps/e2e')).toEqual({
      coreFolder: join(root, 'node_modules/playwright-core'),
      version: '1.50.0',
    })
    const store = 'apps/e2e/node_modules/.pnpm'
    const of = (name: string) => `${store}/${name}@1/node_modules`
    mkdirSync(join(root, of('test'), '@playwright/test'), { recursive: true })
    mkdirSync(join(root, of('playwright'), 'playwright'), { recursive: true })
    mkdirSync(join(root, 'apps/e2e/node_modules/@playwright'), { recursive: true })
    put(`${of('core')}/playwright-core`, '1.58.2')
    link('apps/e2e/node_modules/@playwright/test', '../.pnpm/test@1/node_modules/@playwright/test')
    link(`${of('test')}/playwright`, '../../playwright@1/node_modules/playwright')
    link(`${of('playwright')}/playwright-core`, '../../core@1/node_modules/playwright-core')
    expect((await findPlaywright(root, 'apps/e2e'))?.version).toBe('1.58.2')
  })

  test('is never searched outside', async () => {
    mkdirSync(join(base, 'evil/playwright-core'), { recursive: true })
    writeFileSync(join(base, 'evil/playwright-core/package.json'), '{"version":"1.0.0"}')
    writeFileSync(join(base, 'evil/playwright-core/browsers.json'), '{}')
    mkdirSync(join(root, 'node_modules/@playwright/test'), { recursive: true })
    link('node_modules/playwright-core', '../../evil/playwright-core')
    expect(await findPlaywright(root, '')).toBeNull()
  })
})
