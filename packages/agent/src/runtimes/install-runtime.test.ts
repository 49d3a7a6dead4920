import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { npmEnvironment } from '../config.ts'
import { findRuntime, listInstalled, listOutdated } from './find-runtime.ts'
import { ensureRuntime, type InstallSettings } from './install-runtime.ts'
import { installationKey } from './manifest.ts'
import { StandInNpm } from './npm.fixture.ts'

let npm: StandInNpm
beforeEach(() => {
  npm = new StandInNpm()
})
afterEach(() => npm.remove())

const settings = (): InstallSettings => ({
  runtimesDir: npm.runtimesDir,
  npmEnvironment: npm.environment,
  log: { info: () => undefined },
})

describe('ensureRuntime', () => {
  it('installs the lock file once, without scripts, and finds it afterwards', async () => {
    expect(findRuntime('2026.04', npm.runtimesDir)).toBeNull()
    const runtime = await ensureRuntime('2026.04', settings())
    expect(runtime).toEqual({
      name: '2026.04',
      folder: join(npm.runtimesDir, '2026.04', installationKey('2026.04')),
      node: `node_modules/node-${process.platform}-${process.arch}/bin/node`,
      nodeVersion: '24.13.1',
      playwrightVersion: '1.58.2',
    })
    expect(await ensureRuntime('2026.04', settings())).toEqual(runtime)
    expect(findRuntime('2026.04', npm.runtimesDir)).toEqual(runtime)
    expect(listInstalled(npm.runtimesDir)).toEqual([runtime])
    expect(npm.calls()).toHaveLength(1)
    expect(npm.calls()[0]?.args).toEqual(expect.arrayContaining(['ci', '--ignore-scripts']))
    expect(existsSync(join(runtime.folder, 'package-lock.json'))).toBe(true)
    expect(existsSync(join(runtime.folder, 'node_modules/@vedette/playwright-helpers/index.cjs'))).toBe(true)
  })

  it("passes npm its settings and none of the agent's secrets", async () => {
    const agents = { ...npm.environment, API_KEY: 'pl_hunter2', MODEL_API_KEY: 'hunter3', HOME: '/nowhere' }
    const set = { ...agents, npm_config_cache: '/cache', https_proxy: 'http://proxy.test:1' }
    await ensureRuntime('2026.04', { ...settings(), npmEnvironment: npmEnvironment(set) })
    const { environment } = npm.calls()[0]!
    expect(JSON.stringify(environment)).not.toContain('hunter')
    const kept = { HOME: '/nowhere', npm_config_cache: '/cache', https_proxy: 'http://proxy.test:1' }
    expect(environment).toEqual(expect.objectContaining(kept))
  })

  it('reports the error of npm and what to do, leaves nothing, and works the next time', async () => {
    npm.does("console.error('npm error code ENOTFOUND\\nnpm error the registry is on fire'); process.exit(7)")
    await expect(ensureRuntime('2026.04', settings())).rejects.toThrow(
      /2026\.04 can't be installed: npm ci failed \(exit 7\): code ENOTFOUND; the registry is on fire[\s\S]*vedette runtime install 2026\.04/,
    )
    expect(readdirSync(join(npm.runtimesDir, '2026.04'))).toEqual(['lock'])
    npm.doesAll()
    expect((await ensureRuntime('2026.04', settings())).name).toBe('2026.04')
  })

  it('reports a missing npm, and a missing Node package', async () => {
    npm.does('')
    await expect(ensureRuntime('2026.04', settings())).rejects.toThrow('npm did not install node-')
    const without = { ...settings(), npmEnvironment: { PATH: '/nowhere' } }
    await expect(ensureRuntime('2026.04', without)).rejects.toThrow("npm can't be started")
  })

  it('refuses an unknown name', async () => {
    await expect(ensureRuntime('../../etc', settings())).rejects.toThrow('There is no runtime ../../etc')
    expect(npm.calls()).toEqual([])
  })

  it('is aborted by its signal and leaves no installation', async () => {
    npm.doesWhen('/never')
    const controller = new AbortController()
    const installing = ensureRuntime('2026.04', { ...settings(), signal: controller.signal })
    await expect.poll(() => npm.calls()).toHaveLength(1)
    controller.abort(new Error('enough'))
    await expect(installing).rejects.toThrow('enough')
    expect(findRuntime('2026.04', npm.runtimesDir)).toBeNull()
  })
})

describe('with several processes', () => {
  const program = fileURLToPath(new URL('../main-runtime.ts', import.meta.url))
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })
  const start = () => {
    const child = spawn(process.execPath, [program, 'install', '2026.04'], {
      env: { ...npm.environment, AGENT_RUNTIMES_DIR: npm.runtimesDir },
      stdio: 'ignore',
    })
    children.push(child)
    return child
  }

  it("a killed installation doesn't count, and the next one removes it", async () => {
    const go = join(npm.folder, 'go')
    npm.doesWhen(go)
    const killed = start()
    await expect.poll(() => npm.calls()).toHaveLength(1)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect(findRuntime('2026.04', npm.runtimesDir)).toBeNull()
    writeFileSync(go, '')
    const { folder } = await ensureRuntime('2026.04', settings())
    expect(npm.calls()).toHaveLength(2)
    const left = readdirSync(dirname(folder)).filter((entry) => entry !== installationKey('2026.04'))
    expect(left.filter((entry) => entry !== 'lock' && !npm.calls()[0]?.folder.endsWith(entry))).toEqual([])
  })

  it('two concurrent installations install once', async () => {
    const go = join(npm.folder, 'go')
    npm.doesWhen(go)
    const both = [start(), start()]
    await expect.poll(() => npm.calls()).toHaveLength(1)
    writeFileSync(go, '')
    const codes = await Promise.all(both.map((child) => once(child, 'exit')))
    expect(codes.map(([code]) => code)).toEqual([0, 0])
    expect(npm.calls()).toHaveLength(1)
  })
})

describe('listOutdated', () => {
  it('lists installations of another lock file', async () => {
    const { folder } = await ensureRuntime('2026.04', settings())
    const older = join(dirname(folder), '0123456789ab-linux-x64')
    mkdirSync(older)
    writeFileSync(join(older, 'vedette-runtime.json'), '{}')
    mkdirSync(join(dirname(folder), 'something-else'))
    expect(listOutdated(npm.runtimesDir)).toEqual([older])
  })
})
