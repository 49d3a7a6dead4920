import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MissingError } from '../runtimes/missing.ts'
import type { InstalledRuntime } from '../runtimes/runtime.ts'
import { EnsureInstalled, type InstallDeps } from './ensure-installed.ts'

const runtime: InstalledRuntime = {
  name: '2026.04',
  folder: '/r',
  node: 'node',
  nodeVersion: '24.0.0',
  playwrightVersion: '1.58.2',
}

/** A machine with nothing on it; `installed` settles its installations. */
class Machine {
  readonly calls: string[] = []
  readonly installed = Promise.withResolvers<void>()
  isDone = false

  deps(more: Partial<InstallDeps> = {}): InstallDeps {
    const isInstalling = (name: string) => this.calls.includes(name) && !this.isDone
    return {
      runtimes: {
        find: () => (this.isDone ? runtime : null),
        isInstalling,
        get: async (name) => {
          this.calls.push(name)
          await this.installed.promise
          return runtime
        },
      },
      hasBrowser: () => this.isDone,
      isIsolated: () => true,
      system: {
        installer: {
          install: () => {
            this.calls.push('browser')
            return this.installed.promise
          },
          get isInstalling() {
            return isInstalling('browser')
          },
        },
        onInstalled: async () => void this.calls.push('checked'),
      },
      ...more,
    }
  }

  finish(): void {
    this.isDone = true
    this.installed.resolve()
  }
}

let machine: Machine
let notes: string[]
const { signal } = new AbortController()
const waiting = { signal, note: (message: string) => notes.push(message) }
beforeEach(() => {
  vi.useFakeTimers()
  machine = new Machine()
  notes = []
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the first code run of an agent', () => {
  it('waits for its runtime and a browser, and says so with its progress', async () => {
    const ready = new EnsureInstalled(machine.deps()).forRun(
      { checkType: 'BROWSER', runtimeId: null },
      waiting,
    )
    await vi.advanceTimersByTimeAsync(20_000)
    machine.finish()
    await ready
    expect(machine.calls).toEqual(['2026.04', 'browser', 'checked'])
    expect(notes).toEqual([
      expect.stringMatching(/^Installing the runtime 2026.04 and a browser, which .* first time/),
      'Still installing the runtime 2026.04 and a browser, for 15 s.',
      'Installed the runtime 2026.04 and a browser in 20 s.',
    ])
  })

  it.each([
    ['MULTI_STEP', ['2025.04']],
    ['PLAYWRIGHT', ['browser', 'checked']],
  ] as const)('of the type %s needs only %j', async (checkType, calls) => {
    machine.installed.resolve()
    await new EnsureInstalled(machine.deps()).forRun({ checkType, runtimeId: '2025.04' }, waiting)
    expect(machine.calls).toEqual(calls)
  })

  it('reports what is missing at once if nothing can be installed', async () => {
    const deps = machine.deps()
    const missing = new MissingError('install it by hand')
    const closed = { ...deps.runtimes, isInstalling: () => false, get: () => Promise.reject(missing) }
    const needs = new EnsureInstalled({ ...deps, runtimes: closed, system: null })
    await expect(needs.forRun({ checkType: 'BROWSER', runtimeId: null }, waiting)).rejects.toBe(missing)
    expect(notes).toEqual([])
  })

  it('ends with an error if a browser takes too long', async () => {
    vi.useRealTimers()
    const deps = machine.deps({ waitMs: 20 })
    const run = new EnsureInstalled(deps).forRun({ checkType: 'PLAYWRIGHT', runtimeId: null }, waiting)
    await expect(run).rejects.toThrow(MissingError)
    await expect(run).rejects.toThrow('still being installed')
  })

  it('finds everything installed if its claim was announced', async () => {
    const needs = new EnsureInstalled(machine.deps())
    needs.ahead({ checkType: 'BROWSER', runtimeId: null })
    expect(machine.calls).toEqual(['2026.04', 'browser'])
    machine.finish()
    await needs.forRun({ checkType: 'BROWSER', runtimeId: null }, waiting)
    expect(machine.calls).toEqual(['2026.04', 'browser', 'checked'])
    expect(notes).toEqual([])
  })

  it('installs what isolates code, also for scripts of API checks', async () => {
    machine.isDone = true
    machine.installed.resolve()
    const needs = new EnsureInstalled(machine.deps({ isIsolated: () => false }))
    await needs.forRun({ checkType: 'MULTI_STEP', runtimeId: null }, waiting)
    await needs.forScripts(signal)
    expect(machine.calls).toEqual(['browser', 'checked', 'browser', 'checked'])
  })
})
