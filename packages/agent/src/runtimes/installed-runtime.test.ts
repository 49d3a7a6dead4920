// The runtime as npm installed it: its Node, every package it lists, and the packages that mark a run as degraded.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkoutRuntime, installPatienceMs } from './installed-runtime.fixture.ts'
import { readManifest } from './manifest.ts'
import type { InstalledRuntime } from './runtime.ts'

let runtime: InstalledRuntime
let folder: string
beforeAll(async () => {
  runtime = await checkoutRuntime()
}, installPatienceMs)
beforeEach(() => {
  if (folder) rmSync(folder, { recursive: true })
  folder = mkdtempSync(join(tmpdir(), 'vedette-script-'))
  symlinkSync(join(runtime.folder, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (script: string, file = 'script.mjs') => {
  writeFileSync(join(folder, file), script)
  return execFileSync(join(runtime.folder, runtime.node), [file], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  })
}

describe('the installed runtime 2026.04', () => {
  it('runs the Node of its manifest', () => {
    const { nodeJsVersion } = readManifest('2026.04')
    const promised = process.arch === 'x64' ? nodeJsVersion : `v${runtime.nodeVersion}`
    expect(run('console.log(process.version)')).toBe(`${promised}\n`)
  })

  it('has every package in the listed version', () => {
    const { dependencies } = readManifest('2026.04')
    const { http, https, ...packages } = dependencies
    const installed = Object.keys(packages).map((name) => {
      const { version } = JSON.parse(
        readFileSync(join(runtime.folder, 'node_modules', name, 'package.json'), 'utf8'),
      )
      return [name, version]
    })
    expect(Object.fromEntries(installed)).toEqual(packages)
  })

  it('lets scripts import them: modules, CommonJS and packages with types only for some', () => {
    const names = ['@playwright/test', 'axios', 'lodash', 'jose', '@faker-js/faker', 'expect', 'otpauth']
    const script = names.map((name) => `console.log(typeof (await import('${name}')))`).join('\n')
    expect(run(script)).toBe('object\n'.repeat(names.length))
    expect(run("console.log(typeof require('axios').get)", 'script.cjs')).toBe('function\n')
  })

  it.each(['@checkly/playwright-helpers', '@vedette/playwright-helpers'])(
    'marks a run as degraded through %s',
    (name) => {
      run(`import { getAPIResponseTime, markCheckAsDegraded } from '${name}'
        markCheckAsDegraded()
        markCheckAsDegraded('slow')
        markCheckAsDegraded('and crooked')
        if (getAPIResponseTime({ timings: () => ({ total: 12.5 }) }) !== 12.5) throw new Error('wrong time')
        if (getAPIResponseTime({}) !== null) throw new Error('a time from nowhere')`)
      const left = JSON.parse(readFileSync(join(folder, 'degraded.json'), 'utf8'))
      expect(left).toEqual({ messages: ['slow', 'and crooked'] })
    },
  )

  it.each(['@checkly/playwright-helpers', '@vedette/playwright-helpers'])(
    'refuses a reason of 100 bytes through %s',
    (name) => {
      const script = `import { markCheckAsDegraded } from '${name}'
        markCheckAsDegraded('x'.repeat(99))
        try { markCheckAsDegraded('ä'.repeat(50)) } catch (error) { console.log('refused') }`
      expect(run(script)).toBe('refused\n')
    },
  )
})
