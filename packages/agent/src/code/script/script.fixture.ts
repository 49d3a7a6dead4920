// A runner of scripts as the agent puts it together, and a small shop for them to visit.
import { on } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { jobExample } from '../../connection/agent-server.fixture.ts'
import { findBrowsers } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { cellLevel, cellOpener, closeCells } from '../../sandbox/open-cell.ts'
import { makeBaseFolder } from '../../sandbox/stage.ts'
import { browserArgs } from '../browser-args.ts'
import type { CodeContext, CodeOutcome } from '../code-runner.ts'
import type { RuntimeState } from './host-starter.ts'
import { scriptRunner } from './run-script.ts'
import { ScriptHosts } from './script-host.ts'

const openCell = cellOpener('auto')

export interface ScriptWorld {
  baseUrl: string
  /** Of the hosts so far. */
  states: readonly RuntimeState[]
  run(script: string, options?: RunOptions): Promise<CodeOutcome>
  /** Resolves after a request for this path. */
  waitForRequest(path: string): Promise<void>
  close(): Promise<void>
}

interface RunOptions {
  job?: Partial<Job>
  check?: Record<string, unknown>
  limitMs?: number
  /** By key. */
  snapshots?: Readonly<Record<string, Uint8Array>>
  signal?: AbortSignal
  onLine?: CodeContext['onLine']
}

export async function openScriptWorld(given?: InstalledRuntime): Promise<ScriptWorld> {
  const runtime = given ?? (await checkoutRuntime())
  const { level } = await cellLevel()
  const base = makeBaseFolder()
  const browsers = await browsersFor(runtime, level, base)
  const network = networkPolicy({ mode: 'default' })
  const states: RuntimeState[] = []
  const hosts = new ScriptHosts({
    folder: join(base, 'programs'),
    openCell,
    runtime,
    browsers,
    network,
    onLoaded: (state) => void states.push(state),
  })
  const server = await startShop()
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const released: CodeOutcome[] = []
  return {
    baseUrl,
    states,
    async run(
      script,
      { job, check, snapshots = {}, limitMs = 60_000, signal = new AbortController().signal, onLine } = {},
    ) {
      const run = scriptRunner({
        async hostsOf() {
          // The host of this run is taken by then; that of the next one starts meanwhile.
          setImmediate(() => hosts.keep([{ style: 'test', usesBrowser: false }]))
          return { hosts, runtimeName: runtime.name }
        },
        limitMs,
        async downloadSnapshot(_token, key, toPath) {
          const bytes = snapshots[key]
          if (bytes === undefined) throw new Error(`The snapshot ${key} doesn't exist.`)
          writeFileSync(toPath, bytes)
        },
      })
      const clock = { now: () => Date.now(), monotonic: () => performance.now() }
      const context: CodeContext = {
        signal,
        clock,
        network,
        userAgent: 'Vedette/test',
        ...(onLine && { onLine }),
      }
      const outcome = await run(jobOf(script, baseUrl, { job, check }), context)
      released.push(outcome)
      return outcome
    },
    async waitForRequest(path) {
      for await (const [{ url }] of on(server, 'request')) if (url === path) return
    },
    async close() {
      await hosts.close()
      for (const outcome of released) await outcome.release()
      await closeCells()
      server.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** As the agent lays them out for a runtime. */
export function browsersFor(runtime: InstalledRuntime, level: Cell['level'], base: string) {
  return layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules', 'playwright-core'),
    into: join(base, 'browsers'),
    browserArgs: browserArgs(level),
    programs: findBrowsers({}),
  })
}

function jobOf(script: string, baseUrl: string, { job, check }: Pick<RunOptions, 'job' | 'check'>): Job {
  return jobExample(baseUrl, {
    checkType: 'BROWSER',
    check: { checkType: 'BROWSER', name: 'Shop', script, scriptPath: null, dependencies: [], ...check },
    ...job,
    variables: { BASE_URL: baseUrl, ...job?.variables },
  })
}

const page = `<!doctype html><title>Shop</title><h1>Shop</h1><p>Welcome</p>
  <a href="/second" target="_blank">second</a><img src="/missing.png"><script>console.error('boom')</script>`

function startShop(): Promise<Server> {
  const server = createServer(({ url, method }, response) => {
    if (url === '/slow') return setTimeout(() => response.end(), 8_000)
    if (url === '/missing.png') return response.writeHead(404).end()
    if (url === '/api')
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, ok: true }))
    response.setHeader('content-type', 'text/html').end(page)
  })
  return new Promise((settle) => server.listen(0, '127.0.0.1', () => settle(server)))
}
