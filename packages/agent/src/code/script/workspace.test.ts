import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jobExample } from '../../agent-server.fixture.ts'
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
  it.each([null, '', ' \n\t'])('are none where the check has no script: %j', (script) => {
    expect(() => write({ script })).toThrow('the check has no script')
    expect(existsSync(folder)).toBe(false)
  })

  it('are it, what it depends on and the snippets, each where it is looked for', () => {
    const dependencies = [{ path: 'src/pages/shop.ts', content: 'export {}' }]
    const check = { script: "import '@playwright/test'", scriptPath: 'src/checks/home.spec.ts', dependencies }
    expect(write(check, [{ name: 'greet', script: 'exports.greet = 1' }])).toEqual({
      file: 'src/checks/home.spec.ts',
      mode: 'test',
    })
    expect(readFileSync(join(folder, 'src/checks/home.spec.ts'), 'utf8')).toBe(check.script)
    expect(readFileSync(join(folder, 'src/pages/shop.ts'), 'utf8')).toBe('export {}')
    expect(readFileSync(join(folder, 'snippets/greet.js'), 'utf8')).toBe('exports.greet = 1')
  })

  it.each(['../x.ts', '/etc/x', 'a/../../x', '..\\x.ts', '.', '.vedette/tests.json'])(
    'never lead elsewhere: %s',
    (path) => {
      const elsewhere = 'leads out of the folder of the script'
      expect(() => write({ script: '1', scriptPath: path })).toThrow(elsewhere)
      expect(() => write({ script: '1', dependencies: [{ path, content: '' }] })).toThrow(elsewhere)
      expect(existsSync(join(base, 'a', 'x')) || existsSync(join(base, 'a', 'x.ts'))).toBe(false)
    },
  )
})
