// Upgrades an installation of the latest release to this version: all data reads the same, checks continue, an agent of
// that release still reports, a migration that is killed leaves nothing behind, and a backup of that release is restored.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import {
  type Checkout,
  launchServer,
  operate,
  type Program,
  pause,
  startAgent,
  startServer,
  thisCheckout,
  until,
} from '../fleet.ts'
import { type Api, call } from '../load.ts'
import { createEverything, type Everything, runChecks } from './create-everything.ts'
import { isMigrating, plantMigration } from './planted.ts'
import {
  findDifferences,
  isMovedDeadline,
  listPaths,
  type Responses,
  readEverything,
} from './read-everything.ts'
import { checkOut, latestRelease } from './release.ts'
import { postmasterPid, query, seedRollups } from './store.ts'
import { openTarget, type Target } from './target.ts'

export interface UpgradeOptions {
  /** A checkout of the release with installed packages; absent: a clone is created. */
  oldCheckout: string | undefined
  log: (line: string) => void
}

const dayMs = 86_400_000
const timeoutMs = 300_000
const oldAgentName = 'agent-of-the-release'

/** Resolves to the faults; none is the expected outcome. */
export async function upgradeDrill(options: UpgradeOptions): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-upgrade-'))
  const target = await openTarget()
  const drill = new UpgradeDrill(home, target, options, await freePort())
  try {
    await drill.run()
  } catch (error) {
    drill.fail(error)
  } finally {
    await drill.close()
    await target.close()
    rmSync(home, { recursive: true, force: true })
  }
  return drill.faults
}

class UpgradeDrill {
  readonly faults: string[] = []
  readonly #home: string
  readonly #target: Target
  readonly #options: UpgradeOptions
  readonly #port: number
  readonly #running: Program[] = []

  constructor(home: string, target: Target, options: UpgradeOptions, port: number) {
    this.#home = home
    this.#target = target
    this.#options = options
    this.#port = port
  }

  async run(): Promise<void> {
    const release = latestRelease()
    const old = checkOut(release, this.#options.oldCheckout ?? join(this.#home, 'old'))
    this.#log(`release ${release.version} (${release.commit.slice(0, 12)}) is installed`)

    const dataDir = join(this.#home, 'data')
    let server = await this.#start(dataDir, old)
    if (server.first === null) throw new Error('the data directory was not empty')
    const api: Api = { url: () => `http://127.0.0.1:${this.#port}`, ...server.first }
    const live = await this.#createLiveAccount(dataDir, api, old)
    const canRunCode = existsSync(runtimesDir)
    const everything = await createEverything(api, this.#target, canRunCode)
    const rollups = await seedRollups(dataDir, api.accountId)
    await until('the alert is sent', () => this.#target.webhooks() > 0, timeoutMs)
    await until('checks run every ten seconds', async () => (await live.results()).length >= 4, timeoutMs)
    this.#log(
      `it has one of everything, ${rollups} rollups, ${canRunCode ? 'artifacts of code checks' : 'no artifacts, because no runtime is installed'}`,
    )

    const now = Date.now()
    const snapshot: Snapshot = {
      api,
      everything,
      paths: await listPaths(api),
      period: { from: now - 2 * dayMs, to: now },
    }
    const before = await readAll(snapshot)
    const again = findDifferences(before, await readAll(snapshot))
    if (again.length > 0) throw new Error(`two reads of the same data differ:\n${again.join('\n')}`)
    const backup = join(this.#home, 'backup.tar.gz')
    await operate(['backup', backup], environment(dataDir), old)
    const liveBefore = await live.results()
    await server.stop()
    const killedDir = join(this.#home, 'killed')
    // With owners and modes, which PostgreSQL checks.
    execFileSync('cp', ['-a', dataDir, killedDir])
    this.#log(
      `${before.size} responses of ${snapshot.paths.length} routes are recorded, the backup is written`,
    )

    const startedAt = Date.now()
    server = await this.#start(dataDir, thisCheckout)
    const startMs = Date.now() - startedAt
    this.#log(`this version started on the data of ${release.version} in ${startMs} ms`)
    await this.#goOn(live, liveBefore, startedAt)
    await this.#compare('after the upgrade', snapshot, before)
    await this.#restartOldAgent(live, old)
    await this.#runAll(api, everything, canRunCode)
    await server.stop()

    await this.#killDuringMigration(killedDir, startMs)
    server = await this.#startAndRun(killedDir, live)
    await this.#compare('after the kills', snapshot, before)
    await this.#refuseLeftovers(killedDir)
    await server.stop()

    const restoredDir = join(this.#home, 'restored')
    await operate(['restore', backup], environment(restoredDir))
    server = await this.#startAndRun(restoredDir, live)
    await this.#compare('after the restore', snapshot, before)
    await this.#runAll(api, everything, canRunCode)
    await server.stop()
  }

  fail(error: unknown): void {
    this.#fault((error as Error).stack ?? String(error))
  }

  async close(): Promise<void> {
    for (const program of this.#running.reverse()) await program.stop()
  }

  #log(line: string): void {
    this.#options.log(line)
  }

  #fault(sentence: string): void {
    this.faults.push(sentence)
    this.#log(`fault: ${sentence}`)
  }

  /** With the built-in agent, as in an ordinary installation. */
  async #start(dataDir: string, checkout: Checkout) {
    const server = await startServer(this.#serverSettings(dataDir), checkout)
    this.#running.push(server)
    return server
  }

  /** Resolves when the built-in agent runs checks: until then, states say that no agent is connected. */
  async #startAndRun(dataDir: string, live: Live) {
    const since = Date.now()
    const server = await this.#start(dataDir, thisCheckout)
    await until('checks run', async () => (await live.ranSince(since)).length > 0, timeoutMs)
    return server
  }

  #serverSettings(dataDir: string): Record<string, string> {
    return {
      ...environment(dataDir),
      PORT: String(this.#port),
      AGENT: 'on',
      AGENT_HEALTH_PORT: '0',
      AGENT_RUNTIMES_DIR: runtimesDir,
    }
  }

  /** A separate account, so that the first account doesn't change while it is read. */
  async #createLiveAccount(dataDir: string, { url }: Api, old: Checkout): Promise<Live> {
    const run = async (...words: string[]) =>
      JSON.parse(await operate([...words, '--json'], environment(dataDir), old))
    const account = await run('accounts', 'create', '--name', 'Live', '--owner-email', 'live@example.com')
    const { rawKey: key } = await run('keys', 'create', '--account', account.id, '--role', 'ADMIN')
    const api: Api = { url, key, accountId: account.id }
    const location = (await call(api, 'POST', '/v1/private-locations', {
      name: 'Cellar',
      slugName: 'cellar',
    })) as { keys: { rawKey: string }[] }
    const create = async (name: string, where: object) => {
      const body = { name, frequency: 0, frequencyOffset: 10, request: { url: this.#target.url }, ...where }
      return ((await call(api, 'POST', '/v1/checks/url', body)) as { id: string }).id
    }
    const live = new Live(
      api,
      await create('By the built-in agent', { locations: ['eu-west-1'] }),
      await create('By an agent of the release', { privateLocations: ['cellar'] }),
      location.keys[0]?.rawKey as string,
    )
    live.agent = this.#startOldAgent(live, old)
    return live
  }

  #startOldAgent(live: Live, old: Checkout): Program {
    const agent = startAgent(
      {
        API_KEY: live.agentKey,
        SERVER_URL: live.api.url(),
        AGENT_NAME: oldAgentName,
        AGENT_DATA_DIR: join(this.#home, 'agent'),
        AGENT_HEALTH_PORT: '0',
        AGENT_RUNTIMES: 'none',
      },
      old,
    )
    this.#running.push(agent)
    return agent
  }

  async #compare(when: string, snapshot: Snapshot, before: Responses): Promise<void> {
    const isExpected = isMovedDeadline(before, snapshot.everything.checks.HEARTBEAT as string)
    const differences = findDifferences(before, await readAll(snapshot), isExpected)
    for (const difference of differences) this.#fault(`${when}: ${difference}`)
    this.#log(`${when}: ${before.size} responses compared, ${differences.length} differences`)
  }

  /** Earlier results still exist, and both checks run again: the agent of the release was never restarted. */
  async #goOn(live: Live, before: LiveResult[], since: number): Promise<void> {
    await until('checks go on', async () => (await live.ranSince(since)).length === 2, timeoutMs)
    const after = new Set((await live.results()).map(({ id }) => id))
    const lost = before.filter(({ id }) => !after.has(id))
    for (const { id } of lost) this.#fault(`result ${id} is lost`)
    this.#log(
      `checks go on, also by the agent of the release that was never restarted; ${lost.length} results lost`,
    )
  }

  async #restartOldAgent(live: Live, old: Checkout): Promise<void> {
    await live.agent?.stop()
    const since = Date.now()
    live.agent = this.#startOldAgent(live, old)
    await until(
      'a new agent of the release reports',
      async () => (await live.ranSince(since)).includes(live.privateCheck),
      timeoutMs,
    )
    await live.agent.stop()
    this.#log('an agent of the release that starts now reports too')
  }

  /** Every check passes except the broken one: secrets, snippets and bundles still work. */
  async #runAll(api: Api, everything: Everything, canRunCode: boolean): Promise<void> {
    const code = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT']
    const types = ['API', 'URL', 'TCP', 'DNS', 'ICMP', ...(canRunCode ? code : [])]
    const sessions = await runChecks(api, [
      ...types.map((type) => everything.checks[type] as string),
      everything.brokenCheck,
    ])
    for (const id of sessions) {
      const { name, status, checkId } = (await call(api, 'GET', `/v1/check-sessions/${id}`)) as {
        name: string
        status: string
        checkId: string
      }
      const expected = checkId === everything.brokenCheck ? 'FAILED' : 'PASSED'
      if (status !== expected) this.#fault(`check "${name}" is ${status} instead of ${expected}`)
    }
    const test = (await call(api, 'POST', `/v1/alert-channels/${everything.webhook}/test`, {})) as object
    this.#log(`${sessions.length} checks were run; the alert channel responded ${JSON.stringify(test)}`)
  }

  async #killDuringMigration(dataDir: string, startMs: number): Promise<void> {
    // Without the store and with it: a crash of the server, and a power cut.
    for (const part of [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1]) {
      const server = launchServer(this.#serverSettings(dataDir), thisCheckout)
      await pause(startMs * part)
      await this.#kill(server, dataDir, part > 0.5)
    }
    this.#log(`this version was killed at 7 moments of its start`)
    const planted = plantMigration(join(this.#home, 'planted'))
    for (const withStore of [false, true]) {
      const server = launchServer({ ...this.#serverSettings(dataDir), AGENT: 'off' }, planted)
      await until(
        'the planted migration runs',
        () => {
          if (server.hasEnded()) throw new Error(`the server ended by itself:\n${server.log()}`)
          return isMigrating(dataDir)
        },
        timeoutMs,
      )
      await this.#kill(server, dataDir, withStore)
    }
    this.#log('a planted migration was killed twice, once with PostgreSQL')
  }

  async #kill(server: Program, dataDir: string, withStore: boolean): Promise<void> {
    await server.kill()
    if (!withStore || !existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) return
    try {
      process.kill(postmasterPid(dataDir), 'SIGKILL')
    } catch {
      // It hadn't started, or had stopped already.
    }
  }

  async #refuseLeftovers(dataDir: string): Promise<void> {
    const rows = await query<{ name: string }>(
      dataDir,
      `select table_name as name from information_schema.columns
       where table_name = 'planted_by_drill' or column_name = 'planted_by_drill'`,
    )
    for (const { name } of rows) this.#fault(`the killed migration left something in ${name}`)
  }
}

interface LiveResult {
  id: string
  checkId: string
  startedAt: string
  ranAt: { agentName: string; isBuiltIn: boolean } | null
}

class Live {
  readonly api: Api
  readonly builtInCheck: string
  readonly privateCheck: string
  readonly agentKey: string
  agent: Program | null = null

  constructor(api: Api, builtInCheck: string, privateCheck: string, agentKey: string) {
    this.api = api
    this.builtInCheck = builtInCheck
    this.privateCheck = privateCheck
    this.agentKey = agentKey
  }

  async results(): Promise<LiveResult[]> {
    const { entries } = (await call(this.api, 'GET', '/v2/check-results?limit=100')) as {
      entries: LiveResult[]
    }
    return entries
  }

  /** The checks that passed since then, each by the agent that should run it. */
  async ranSince(instant: number): Promise<string[]> {
    const results = (await this.results()).filter(({ startedAt }) => Date.parse(startedAt) >= instant)
    const byBuiltIn = results.some(({ checkId, ranAt }) => checkId === this.builtInCheck && ranAt?.isBuiltIn)
    const byOldAgent = results.some(
      ({ checkId, ranAt }) => checkId === this.privateCheck && ranAt?.agentName === oldAgentName,
    )
    return [...(byBuiltIn ? [this.builtInCheck] : []), ...(byOldAgent ? [this.privateCheck] : [])]
  }
}

interface Snapshot {
  api: Api
  everything: Everything
  paths: string[]
  period: { from: number; to: number }
}

function readAll({ api, paths, everything, period }: Snapshot): Promise<Responses> {
  return readEverything(api, paths, everything, period)
}

const runtimesDir = join(thisCheckout.root, 'node_modules/.vedette-runtimes')

function environment(dataDir: string): Record<string, string> {
  return { DATA_DIR: dataDir }
}
