import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jobExample } from '../../connection/agent-server.fixture.ts'
import { writeWorkspace } from './workspace.ts'

let base: string
let folder: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-workspace-'))
  folder = join(base, 'a', 'b')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const write = (check: Record<string, unknown>, snippets: { name: string; script: string }[] = []) =>
  writeWorkspace(
    folder,
    jobExample('http://127.0.0.1/', { check: { checkType: 'BROWSER', name: 'Shop', ...check }, snippets }),
  )

describe('the files of a script', () => {
  it.each([null, '', ' \n\t'])('are not written without a script: %j', (script) => {
    expect(() => write({ script })).toThrow('The check has no script.')
    expect(existsSync(folder)).toBe(false)
  })

  it('are the script, its dependencies and the snippets', () => {
    const dependencies = [{ path: 'src/pages/shop.ts', content: 'export {}' }]
    const check = { script: "import '@playwright/test'", scriptPath: 'src/checks/home.spec.ts', dependencies }
    expect(write(check, [{ name: 'greet', script: 'exports.greet = 1' }])).toEqual({
      file: 'src/checks/home.spec.ts',
      mode: 'test',
      isAlone: false,
      hasEsModules: false,
      written: ['src/pages/shop.ts', 'snippets/greet.js', 'src/checks/home.spec.ts'],
    })
    expect(readFileSync(join(folder, 'src/checks/home.spec.ts'), 'utf8')).toBe(check.script)
    expect(readFileSync(join(folder, 'src/pages/shop.ts'), 'utf8')).toBe('export {}')
    expect(readFileSync(join(folder, 'snippets/greet.js'), 'utf8')).toBe('exports.greet = 1')
  })

  it.each([
    ...['../x.ts', '/etc/x', 'a/../../x', '..\\x.ts', '.', '.vedette/tests.json'],
    ...['node_modules/ms/index.js', './NODE_MODULES/x.js', 'a/../node_modules/x.js'],
  ])('are not written when a path is not allowed: %s', (path) => {
    expect(() => write({ script: '1', scriptPath: path })).toThrow(`The path "${path}" is not allowed`)
    expect(() => write({ script: '1', dependencies: [{ path, content: '' }] })).toThrow('is not allowed')
    expect(existsSync(folder)).toBe(false)
    expect(readdirSync(base)).toEqual([])
  })

  it.each(['../node_modules/ms/mark', '../../x', '../lib/x', 'a/../../x'])(
    'are not written when a snippet leads out of its directory: %s',
    (name) => {
      expect(() => write({ script: '1' }, [{ name, script: '' }])).toThrow(
        `The snippet "${name}" can't be written`,
      )
      expect(existsSync(folder)).toBe(false)
    },
  )

  it.each([
    [{ script: "import './lib/a'" }, false],
    [{ script: '1', scriptPath: 'shop.spec.mts' }, true],
    [{ script: "await import('./lib/a.mjs')" }, true],
    [{ script: '1', dependencies: [{ path: 'lib/package.json', content: '{"type":"module"}' }] }, true],
    [{ script: '1', dependencies: [{ path: 'lib/a.ts', content: 'export {}' }] }, false],
  ])('have ES modules that Node loads: %j', (check, hasEsModules) => {
    expect(write(check)).toMatchObject({ hasEsModules, isAlone: !('dependencies' in check) })
  })

  describe('in a directory that already contains links', () => {
    let elsewhere: string
    beforeEach(() => {
      elsewhere = join(base, 'elsewhere')
      for (const path of [elsewhere, folder]) mkdirSync(path, { recursive: true })
      writeFileSync(join(elsewhere, 'x.js'), 'of others')
    })
    afterEach(() => expect(readFileSync(join(elsewhere, 'x.js'), 'utf8')).toBe('of others'))

    it.each(['lib/x.js', 'lib/deep/x.js'])('are not written through a linked directory: %s', (path) => {
      symlinkSync(elsewhere, join(folder, 'lib'))
      expect(() => write({ script: '1', dependencies: [{ path, content: 'mine' }] })).toThrow(
        `The file "${path}" can't be written: one of its directories is a file or a link`,
      )
      expect(readdirSync(elsewhere)).toEqual(['x.js'])
    })

    it('replace a symbolic or hard link', () => {
      symlinkSync(join(elsewhere, 'x.js'), join(folder, 'a.js'))
      linkSync(join(elsewhere, 'x.js'), join(folder, 'b.js'))
      const dependencies = ['a.js', 'b.js'].map((path) => ({ path, content: 'mine' }))
      write({ script: '1', dependencies })
      for (const { path } of dependencies) expect(readFileSync(join(folder, path), 'utf8')).toBe('mine')
    })
  })
})
