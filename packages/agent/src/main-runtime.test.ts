// `vedette runtime` as the process that it is.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StandInNpm } from './runtimes/npm.fixture.ts'

let npm: StandInNpm
beforeEach(() => {
  npm = new StandInNpm()
})
afterEach(() => npm.remove())

const run = (...args: string[]) => {
  const program = fileURLToPath(new URL('main-runtime.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { ...npm.environment, AGENT_RUNTIMES_DIR: npm.runtimesDir },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('vedette runtime', () => {
  it('installs a runtime by name, prints its directory, and lists it afterwards', () => {
    const line = (name: string) =>
      run('list')
        .stdout.split('\n')
        .find((text) => text.startsWith(name))
    expect(line('2026.04')).toMatch(/current +Node\.js 24\.13\.1 +Playwright 1\.58\.2 +not installed$/)
    const { status, stdout, stderr } = run('install', '2026.04')
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'installing the runtime 2026.04…\n' })
    expect(stdout.trim()).toMatch(new RegExp(`^${RegExp.escape(join(npm.runtimesDir, '2026.04'))}/`))
    expect(line('2026.04')).toContain(stdout.trim())
    expect(line('2022.10')).toContain('not installed')
    expect(run('install', '2026.04').stderr).toBe('')
    expect(JSON.parse(run('install', '2026.04', '--json').stdout)).toEqual([
      { name: '2026.04', folder: stdout.trim() },
    ])
  })

  it('prints the error and exits with code 1', () => {
    npm.does("console.error('npm error code E404'); process.exit(1)")
    const failed = run('install', '2026.04')
    expect(failed.status).toBe(1)
    expect(failed.stderr).toContain('code E404')
    const unknown = run('install', '2019.01')
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no runtime 2019.01'),
    })
  })

  it('lists the browsers that an agent finds', () => {
    const { status, stdout } = run('browsers')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^chromium \S+\nchromium-headless-shell \S+\nffmpeg \S+\n$/)
  })

  it.each([
    [[], 2],
    [['install'], 2],
    [['list', 'x'], 2],
    [['--loud'], 2],
    [['--help'], 0],
  ])('explains itself on %j', (args, status) => {
    const result = run(...(args as string[]))
    expect(result.status).toBe(status)
    expect(result.stdout + result.stderr).toContain('vedette runtime list')
  })
})
