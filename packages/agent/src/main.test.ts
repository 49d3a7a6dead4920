// The agent as a real process, against a server that is broken on purpose.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { uptimeCheckTypes } from './checks/runners.ts'
import { AgentServer, jobExample, until } from './connection/agent-server.fixture.ts'
import { serve } from './net/listeners.fixture.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface AgentProcess {
  child: ChildProcess
  lines(): Record<string, unknown>[]
  hasLogged(event: string): boolean
  stderr(): string
  exit: Promise<number | null>
  health(path: string): Promise<{ status: number; body: Record<string, unknown> }>
  metrics(): Promise<string>
}

function start(
  home: AgentServer,
  environment: Record<string, string> = {},
  program = 'main.ts',
): AgentProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      API_KEY: 'pl_test',
      SERVER_URL: home.url,
      AGENT_DATA_DIR: environment.AGENT_DATA_DIR ?? folderOf(),
      AGENT_HEALTH_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  cleanUps.push(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const lines = () =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const healthPort = () => lines().find(({ msg }) => msg === 'agent.ready')?.healthPort
  return {
    child,
    lines,
    hasLogged: (event) => lines().some(({ msg }) => msg === event),
    stderr: () => stderr,
    exit,
    async metrics() {
      return (await fetch(`http://127.0.0.1:${healthPort()}/metrics`)).text()
    },
    async health(path) {
      const response = await fetch(`http://127.0.0.1:${healthPort()}${path}`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-agent-process-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function serverOf(): Promise<AgentServer> {
  const home = new AgentServer()
  await home.listen()
  cleanUps.push(() => home.kill())
  return home
}

/** What is in a file of a journal; nothing, if its agent has just removed it. */
const textOf = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

const isReady = (agent: AgentProcess) =>
  until(() => agent.hasLogged('agent.ready'), `ready: ${agent.stderr()}`)

describe('the agent as a process', () => {
  it('loses no result to kill -9 and delivers each once', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await serverOf()
    const AGENT_DATA_DIR = folderOf()
    const jobs = Array.from({ length: 40 }, () => jobExample(target, { secrets: ['hunter2-hunter2'] }))
    const journal = () => {
      const folder = join(AGENT_DATA_DIR, 'journal')
      return readdirSync(folder)
        .map((file) => textOf(join(folder, file)))
        .join('')
    }
    home.failWith = { calls: ['results'], status: 503 }
    for (let round = 0; round < 2; round++) {
      const agent = start(home, { AGENT_DATA_DIR })
      await isReady(agent)
      home.give(...jobs.slice(round * 20, round * 20 + 20))
      const journaled = () =>
        journal()
          .split('\n')
          .filter((line) => line.startsWith('{')).length
      await until(() => journaled() === (round + 1) * 20, 'journaled results')
      agent.child.kill('SIGKILL')
      await agent.exit
    }
    expect(journal()).not.toContain('hunter2')
    const killedAt = Date.now()
    home.failWith = null
    const last = start(home, { AGENT_DATA_DIR })
    await until(() => home.results.length >= 40, 'all results')
    await until(() => journal() === '', 'an empty journal')
    expect(home.results.map(({ token }) => token).sort()).toEqual(jobs.map(({ token }) => token).sort())
    for (const { startedAt } of home.results) expect(startedAt).toBeLessThan(killedAt)
    last.child.kill('SIGTERM')
    expect(await last.exit).toBe(0)
    expect(home.problems).toEqual([])
  }, 60_000)

  it('drains on SIGTERM: not ready, claims nothing, finishes its runs, delivers, exits with 0', async () => {
    let end: (() => void) | undefined
    const target = await serve((_request, response) => {
      end = () => response.end('done')
    })
    const home = await serverOf()
    home.timeShiftMs = 60_000
    const agent = start(home, { LOG_LEVEL: 'debug' })
    await isReady(agent)
    home.give(jobExample(target))
    await until(() => end !== undefined, 'a request')
    expect((await agent.health('/-/readiness')).status).toBe(200)
    agent.child.kill('SIGTERM')
    await until(() => home.presences.at(-1)?.state === 'draining', 'the word')
    expect((await agent.health('/-/readiness')).status).toBe(503)
    expect((await agent.health('/-/liveness')).status).toBe(200)
    expect((await agent.health('/elsewhere')).status).toBe(404)
    expect((await agent.metrics()).split('\n')).toEqual(
      expect.arrayContaining([
        'vedette_agent_ready 0',
        'vedette_agent_max_runs{kind="network"} 500',
        'vedette_agent_runs_in_progress 1',
      ]),
    )
    const { status, body } = await agent.health('/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ok',
      state: 'draining',
      inFlight: 1,
      undelivered: 0,
      journalTrouble: null,
    })
    expect(body).toHaveProperty('pingMode')
    expect(Math.abs(Number(body.clockOffsetMs) - 60_000)).toBeLessThan(2_000)
    expect(Math.abs(Date.parse(String(body.lastServerContact)) - Date.now() - 60_000)).toBeLessThan(30_000)
    const claims = home.claims.length
    end?.()
    expect(await agent.exit).toBe(0)
    expect(home.results).toHaveLength(1)
    expect(home.claims).toHaveLength(claims)
    expect(home.presences.at(-1)).toMatchObject({ state: 'draining', leases: [] })
  })

  it('ends at once on a second signal', async () => {
    const target = await serve(() => undefined)
    const home = await serverOf()
    const agent = start(home)
    await isReady(agent)
    home.give(jobExample(target))
    await until(() => home.jobs.length === 0, 'a claim')
    agent.child.kill('SIGTERM')
    await until(() => agent.hasLogged('agent.draining'), 'draining')
    agent.child.kill('SIGTERM')
    expect(await agent.exit).toBe(1)
  })

  it('ends soon after its parent process', async () => {
    const home = await serverOf()
    const parent = spawn('sleep', ['600'])
    cleanUps.push(() => parent.kill('SIGKILL'))
    const agent = start(home, { AGENT_PARENT_PID: String(parent.pid) })
    await isReady(agent)
    agent.child.kill('SIGINT')
    parent.kill('SIGKILL')
    expect(await agent.exit).toBe(0)
    expect(agent.lines().find(({ msg }) => msg === 'agent.draining')).toMatchObject({ reason: 'parent gone' })
  })

  it("prints the reason when it can't start", async () => {
    const home = await serverOf()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    cleanUps.push(() => taken.close())
    const port = String((taken.address() as { port: number }).port)
    const unset = start(home, { API_KEY: '', SERVER_URL: 'nonsense' })
    expect(await unset.exit).toBe(1)
    expect(unset.stderr()).toMatch(/did not start[\s\S]*API_KEY: is missing[\s\S]*SERVER_URL: must be/)
    const blocked = start(home, { AGENT_HEALTH_PORT: port })
    expect(await blocked.exit).toBe(1)
    expect(blocked.stderr()).toContain(`The health port ${port} can't be used`)
    const tolerant = start(home, { AGENT_HEALTH_PORT: port, AGENT_HEALTH_OPTIONAL: 'true' })
    await isReady(tolerant)
    expect(tolerant.hasLogged('health.port-taken')).toBe(true)
    const unwritable = start(home, { AGENT_DATA_DIR: '/dev/null/nowhere' })
    expect(await unwritable.exit).toBe(1)
    expect(unwritable.stderr()).toContain("AGENT_DATA_DIR (/dev/null/nowhere) can't be used")
  })

  it('uses a free health port if the default one is in use and none is set', async () => {
    const taken = createServer()
    // In use, by this test or by another process.
    await new Promise<void>((resolve) => taken.once('error', () => resolve()).listen(8081, () => resolve()))
    cleanUps.push(() => taken.close())
    const agent = start(await serverOf(), { AGENT_HEALTH_PORT: '' })
    await isReady(agent)
    expect(agent.stderr()).toMatch(/health endpoints are on port \d+, because port 8081 is in use/)
    expect((await agent.health('/-/readiness')).status).toBe(200)
  })

  it('reports that the server refused its key, and not that it is ready', async () => {
    const home = await serverOf()
    home.failWith = { calls: ['presence', 'claim', 'results'], status: 401 }
    const agent = start(home)
    await until(() => agent.stderr().includes('refused this agent’s key'), 'the refusal')
    await until(
      () => home.claims.length > 1 || home.presences.length > 1 || agent.lines().length > 0,
      'another try',
    )
    expect(agent.lines().filter(({ msg }) => String(msg).includes('refused this agent’s key'))).toEqual([
      expect.objectContaining({ level: 'error' }),
    ])
    expect([agent.hasLogged('agent.ready'), agent.hasLogged('server.lost')]).toEqual([false, false])
    home.failWith = null
    await isReady(agent)
  })

  it('waits until the previous agent releases the directory', async () => {
    const home = await serverOf()
    const AGENT_DATA_DIR = folderOf()
    const first = start(home, { AGENT_DATA_DIR })
    await isReady(first)
    const second = start(home, { AGENT_DATA_DIR })
    await until(() => second.hasLogged('journal.waiting-for-another-agent'), 'waiting')
    expect(second.hasLogged('agent.ready')).toBe(false)
    first.child.kill('SIGKILL')
    await isReady(second)
  })
})

describe('the uptime agent', () => {
  it('runs monitors and offers nothing else', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await serverOf()
    const agent = start(home, {}, 'main-uptime.ts')
    await isReady(agent)
    await until(() => home.claims.length > 0, 'a claim')
    expect(home.claims[0]?.checkTypes?.toSorted()).toEqual(uptimeCheckTypes.toSorted())
    const check: Job['check'] = {
      checkType: 'URL',
      name: 'Target',
      request: {
        method: 'GET',
        url: target,
        followRedirects: true,
        skipSSL: false,
        ipFamily: 'IPv4',
        assertions: [],
      },
    }
    home.give(jobExample(target, { checkType: 'URL', check }))
    await until(() => home.results.length === 1, 'a result')
    expect(home.results[0]).toMatchObject({ outcome: 'passed' })
  })

  it('imports nothing that runs user code', () => {
    const seen = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, 'utf8')
      for (const [statement, path] of text
        .matchAll(/^(?:import|export|\} from)\b.*?from '(\.[^']+)'|^\} from '(\.[^']+)'/gm)
        .map((found) => [found[0], found[1] ?? found[2] ?? ''] as const)) {
        if (!/^import type\b/.test(statement)) visit(join(dirname(file), path))
      }
    }
    visit(fileURLToPath(new URL('main-uptime.ts', import.meta.url)))
    expect(seen.size).toBeGreaterThan(40)
    expect([...seen].filter((file) => /\/(sandbox|runtimes)\//.test(file))).toEqual([])
  })
})
