// A runner of scripts as the agent puts it together, and a small shop for them to visit.
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { findBrowsers } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import { cellLevel, closeCells, openCell } from '../../sandbox/open-cell.ts'
import { makeBase } from '../../sandbox/stage.ts'
import { browserArgs } from '../browser-args.ts'
import type { CodeContext, CodeOutcome } from '../code-run.ts'
import { scriptRunner } from './run-script.ts'
import { ScriptHosts } from './script-host.ts'

export interface ScriptWorld {
  baseUrl: string
  run(script: string, options?: RunOptions): Promise<CodeOutcome>
  close(): Promise<void>
}

interface RunOptions {
  job?: Partial<Job>
  check?: Record<string, unknown>
  limitMs?: number
  signal?: AbortSignal
}

export async function openScriptWorld(): Promise<ScriptWorld> {
  const runtime = await checkoutRuntime()
  const { level } = await cellLevel()
  const base = makeBase()
  const browsers = await layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules', 'playwright-core'),
    into: join(base, 'browsers'),
    browserArgs: browserArgs(level),
    programs: findBrowsers({}),
  })
  const network = networkPolicy({ mode: 'default' })
  const hosts = new ScriptHosts({ folder: join(base, 'programs'), openCell, runtime, browsers, network })
  const server = await startShop()
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const released: CodeOutcome[] = []
  return {
    baseUrl,
    async run(script, { job, check, limitMs = 60_000, signal = new AbortController().signal } = {}) {
      const run = scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: '2026.04' }), limitMs })
      const clock = { now: () => Date.now(), monotonic: () => performance.now() }
      const context: CodeContext = { signal, clock, network, userAgent: 'Vedette/test' }
      const outcome = await run(jobOf(script, baseUrl, { job, check }), context)
      released.push(outcome)
      return outcome
    },
    async close() {
      for (const outcome of released) await outcome.release()
      await hosts.close()
      await closeCells()
      server.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function jobOf(script: string, baseUrl: string, { job, check }: Pick<RunOptions, 'job' | 'check'>): Job {
  return {
    token: 'token',
    runId: '8a5bd1c2-6d3c-4a38-9d6a-1f2f9c1f0001',
    attempt: 1,
    resultId: '8a5bd1c2-6d3c-4a38-9d6a-1f2f9c1f0002',
    checkId: '8a5bd1c2-6d3c-4a38-9d6a-1f2f9c1f0003',
    checkType: 'BROWSER',
    scheduledAt: 1_700_000_000_000,
    location: 'eu-west-1',
    check: { checkType: 'BROWSER', name: 'Shop', script, scriptPath: null, dependencies: [], ...check },
    variables: { BASE_URL: baseUrl, ...job?.variables },
    secrets: [],
    groupBaseUrl: null,
    environmentUrl: null,
    proxyUrl: null,
    clientCertificates: [],
    setup: [],
    teardown: [],
    snippets: [],
    runtimeId: null,
    source: 'schedule',
    accountId: '8a5bd1c2-6d3c-4a38-9d6a-1f2f9c1f0004',
    refreshCache: false,
    agenticScript: null,
    ...job,
    ...(job?.variables && { variables: { BASE_URL: baseUrl, ...job.variables } }),
  }
}

const page = `<!doctype html><title>Shop</title><h1>Shop</h1><p>Welcome</p>
  <a href="/second" target="_blank">second</a><img src="/missing.png"><script>console.error('boom')</script>`

function startShop(): Promise<Server> {
  const server = createServer(({ url, method }, answer) => {
    if (url === '/missing.png') return answer.writeHead(404).end()
    if (url === '/api')
      return answer.setHeader('content-type', 'application/json').end(JSON.stringify({ method, ok: true }))
    answer.setHeader('content-type', 'text/html').end(page)
  })
  return new Promise((settle) => server.listen(0, '127.0.0.1', () => settle(server)))
}
