import { expect, it } from 'vitest'
import { SuiteFiles } from './suite-files.ts'

const encoder = new TextEncoder()

function bundleOf(files: Record<string, unknown>) {
  const entries = Object.entries(files).map(([path, content]): [string, Uint8Array] => [
    path,
    encoder.encode(JSON.stringify(content)),
  ])
  return { archive: new Uint8Array(), files: new Map(entries) }
}

const lock = { packages: { 'node_modules/axios': { version: '1.2.3' } } }
const shop = {
  'package.json': { name: 'shop', dependencies: { axios: '^1.0.0', own: 'workspace:*' } },
  'package-lock.json': lock,
  'pw/playwright.config.ts': '',
  'pw/.env.test': '',
}
const testCommand = 'npx playwright test --config pw/playwright.config.ts'
const check = { codeBundlePath: 'one', playwrightVersion: '1.50.0', testCommand }
const noNote = () => undefined

it('keeps the files of a bundle in one directory, and the versions of its lock file', () => {
  const suites = new SuiteFiles(new Map([['one', bundleOf(shop)]]))
  const props = suites.add(check, 'shop suite', noNote)
  expect(props).toEqual({
    playwrightConfigPath: '../suites/shop-suite/pw/playwright.config.ts',
    include: ['../**/*', '../pw/.env.test'],
  })
  expect(suites.add(check, 'another', noNote)).toEqual(props)
  expect(suites.files.map(({ path }) => path)).toEqual([
    'suites/shop-suite/package-lock.json',
    'suites/shop-suite/package.json',
    'suites/shop-suite/pw/.env.test',
    'suites/shop-suite/pw/playwright.config.ts',
  ])
  expect(Object.fromEntries(suites.packages)).toEqual({ '@playwright/test': '1.50.0', axios: '1.2.3' })
})

it('writes a suite that was deployed from an export as it was there', () => {
  const moved = Object.fromEntries(Object.entries(shop).map(([path, text]) => [`suites/a/${path}`, text]))
  const exported = { ...moved, 'package.json': { name: 'exported-resources' }, 'package-lock.json': {} }
  const suites = new SuiteFiles(new Map([['one', bundleOf(exported)]]))
  const config = 'suites/a/pw/playwright.config.ts'
  expect(
    suites.add({ ...check, testCommand: `npx playwright test --config ${config}` }, 'b', noNote)
      .playwrightConfigPath,
  ).toBe(`../${config}`)
  expect(suites.files.map(({ path }) => path)).toEqual(Object.keys(moved).toSorted())
  expect(suites.packages.get('axios')).toBe('1.2.3')
})

it('finds the configuration in the working directory, and none in a bundle that has none', () => {
  const suites = new SuiteFiles(new Map([['one', bundleOf(shop)]]))
  expect(suites.has({ ...check, workingDir: 'pw', testCommand: 'npx playwright test' })).toBe(true)
  expect(suites.has({ ...check, testCommand: 'npx playwright test' })).toBe(false)
  expect(suites.has({ ...check, codeBundlePath: 'gone', workingDir: 'pw' })).toBe(false)
})

it('notes a package that suites need in two versions', () => {
  const notes: unknown[] = []
  const suites = new SuiteFiles(new Map([['one', bundleOf(shop)]]))
  suites.add(check, 'a', noNote)
  suites.add({ ...check, playwrightVersion: '1.49.0' }, 'b', (...note) => notes.push(note))
  expect(notes).toEqual([['version of the package @playwright/test', '1.49.0']])
})
