import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let root

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vedette-strip-'))
  for (const folder of ['scripts', 'node_modules', 'packages/a/src'])
    mkdirSync(join(root, folder), { recursive: true })
  copyFileSync(
    fileURLToPath(new URL('./strip-types.mjs', import.meta.url)),
    join(root, 'scripts/strip-types.mjs'),
  )
  write('part.ts', 'export const part: string = "part"')
  write(
    'main.ts',
    'import { part } from "./part.ts"\nconsole.log(part, process.moduleLoadList.some((name) => name.includes("amaro")))',
  )
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('TypeScript without types', () => {
  it('runs from a cache, without the type stripper of Node', () => {
    expect(run()).toBe('part false\n')
    expect(cached()).toHaveLength(2)
    expect(run()).toBe('part false\n')
  })

  it('follows a change, and forgets what it was before', () => {
    run()
    const before = cached()
    write('part.ts', 'export const part: string = "another"')
    expect(run()).toBe('another false\n')
    expect(cached()).toHaveLength(2)
    expect(cached()).not.toEqual(before)
  })

  it('leaves files that it cannot strip to Node, which says why', () => {
    write('part.ts', 'export enum Part { a }\nexport const part = Part.a')
    expect(run()).toContain('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
  })
})

function write(name, text) {
  writeFileSync(join(root, 'packages/a/src', name), text)
}

function cached() {
  return readdirSync(join(root, 'node_modules/.vedette-stripped')).sort()
}

function run() {
  const flags = ['--disable-warning=ExperimentalWarning', '--import', join(root, 'scripts/strip-types.mjs')]
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, join(root, 'packages/a/src/main.ts')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  return stdout + stderr
}
