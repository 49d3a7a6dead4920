import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../core/log.ts'
import { ensureRuntime } from './install-runtime.ts'
import { MissingError } from './missing.ts'
import { StandInNpm } from './npm.fixture.ts'
import { openRuntimes, type Runtimes, type RuntimesSettings } from './runtimes.ts'

let npm: StandInNpm
let lines: string[]
const opened: Runtimes[] = []
beforeEach(() => {
  npm = new StandInNpm()
  lines = []
})
afterEach(async () => {
  for (const runtimes of opened.splice(0)) await runtimes.close()
  npm.remove()
})

const open = (settings: Partial<RuntimesSettings> = {}) => {
  const runtimes = openRuntimes({
    runtimesDir: npm.runtimesDir,
    names: ['2026.04'],
    isInstalledOnNeed: false,
    npmEnvironment: npm.environment,
    log: createLog('INFO', (line) => lines.push(line)),
    ...settings,
  })
  opened.push(runtimes)
  return runtimes
}
const patient = () => new AbortController().signal

describe('openRuntimes', () => {
  it('lets a run wait for an installation in progress', async () => {
    const runtimes = open()
    expect(runtimes.states()).toEqual({ '2026.04': 'installing' })
    expect((await runtimes.get('2026.04', patient())).playwrightVersion).toBe('1.58.2')
    expect(runtimes.states()).toEqual({ '2026.04': 'installed' })
  })

  it('rejects with "still being installed" when the run is aborted', async () => {
    npm.doesWhen('/never')
    const runtimes = open()
    const run = new AbortController()
    const got = runtimes.get('2026.04', run.signal)
    run.abort()
    await expect(got).rejects.toThrow(MissingError)
    await expect(got).rejects.toThrow('2026.04 is still being installed')
  })

  it('names the command for a missing runtime, and finds it after the installation', async () => {
    const runtimes = open({ names: [] })
    await expect(runtimes.get('2024.09', patient())).rejects.toThrow(
      /doesn't have the runtime 2024\.09.*vedette runtime install 2024\.09/,
    )
    await ensureRuntime('2024.09', {
      runtimesDir: npm.runtimesDir,
      npmEnvironment: npm.environment,
      log: { info: () => undefined },
    })
    expect((await runtimes.get('2024.09', patient())).name).toBe('2024.09')
  })

  it('reports that an installation failed, logs the reason, and retries', async () => {
    npm.does("console.error('npm error no route to the registry'); process.exit(1)")
    const runtimes = open({ retryMs: 50 })
    await expect(runtimes.get('2026.04', patient())).rejects.toThrow(
      /installation failed.*log contains the reason/,
    )
    expect(lines.join('')).toContain('no route to the registry')
    npm.doesAll()
    await expect.poll(() => runtimes.states()).toEqual({ '2026.04': 'installed' })
  })

  it('installs nothing before a run needs it, and then once for all runs that wait', async () => {
    const runtimes = open({ names: [], isInstalledOnNeed: true })
    expect(runtimes.states()).toEqual({})
    expect(npm.calls()).toEqual([])
    const both = [runtimes.get('2026.04', patient()), runtimes.get('2026.04', patient())]
    expect(runtimes.states()).toEqual({ '2026.04': 'installing' })
    expect((await Promise.all(both)).map(({ name }) => name)).toEqual(['2026.04', '2026.04'])
    expect(npm.calls()).toHaveLength(1)
    await expect(runtimes.get('2019.01', patient())).rejects.toThrow("doesn't have the runtime 2019.01")
  })

  it('tries a failed installation again only when a run needs it, and not at once', async () => {
    npm.does('process.exit(1)')
    const runtimes = open({ names: [], isInstalledOnNeed: true, retryMs: 300 })
    await expect(runtimes.get('2026.04', patient())).rejects.toThrow('installation failed')
    await expect(runtimes.get('2026.04', patient())).rejects.toThrow('installation failed')
    expect(npm.calls()).toHaveLength(1)
    npm.doesAll()
    const installed = () => runtimes.get('2026.04', patient()).catch(() => null)
    await expect.poll(async () => (await installed())?.name).toBe('2026.04')
  })

  it('aborts the installation when the agent stops', async () => {
    npm.doesWhen('/never')
    const runtimes = open()
    await expect.poll(() => npm.calls()).toHaveLength(1)
    await runtimes.close()
    expect(lines.join('')).not.toContain('runtime.not-installed')
    expect(runtimes.states()).toEqual({})
  })
})
