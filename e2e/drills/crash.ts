// kill -9 of the server, an agent and PostgreSQL, one after another, under load, in several rounds. Afterwards nothing that
// was acknowledged may be lost or duplicated, and coverage must name exactly the runs that couldn't run.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { createAgentKey, isIdle, type Program, pause, startAgent, startServer, until } from './fleet.ts'
import { type Api, audit, type Books, createChecks, deactivate } from './load.ts'
import { startProxy, startTarget } from './witness.ts'

export interface CrashOptions {
  rounds: number
  checks: number
  /** Between two kills. */
  calmMs: number
  log?: (line: string) => void
}

const region = 'eu-west-1'

export async function crashDrill({
  rounds,
  checks: count,
  calmMs,
  log = () => {},
}: CrashOptions): Promise<Books> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-crash-'))
  const dataDir = join(home, 'data')
  const port = String(await freePort())
  const environment = { PORT: port, DATA_DIR: dataDir }
  const serverUrl = `http://127.0.0.1:${port}`
  const target = await startTarget()
  const between = await startProxy(() => serverUrl)
  const running: Program[] = []
  try {
    let server = await startServer(environment)
    running.push(server)
    if (server.first === null) throw new Error('the data folder was not new')
    const api: Api = { url: () => serverUrl, ...server.first }
    const key = await createAgentKey(environment)
    const ports = [await freePort(), await freePort()]
    const agents = ports.map((healthPort, index) => runAgent(home, key, between.url, index, healthPort))
    running.push(...agents)
    const checks = await createChecks(api, count, (index) => ({
      locations: [region],
      request: { method: 'GET', url: `${target.url}/${index}` },
    }))
    await until('runs are made', () => target.hits.size >= count / 2)
    for (let round = 1; round <= rounds; round++) {
      log(`round ${round}: server`)
      await server.kill()
      await pause(2_000)
      server = await startServer(environment)
      running.push(server)
      await pause(calmMs)

      log(`round ${round}: agent`)
      const victim = round % agents.length
      await agents[victim]?.kill()
      await pause(2_000)
      agents[victim] = runAgent(home, key, between.url, victim, ports[victim] as number)
      running.push(agents[victim] as Program)
      await pause(calmMs)

      log(`round ${round}: PostgreSQL`)
      process.kill(postmaster(dataDir), 'SIGKILL')
      await until('the API responds again', () => isResponding(api))
      await pause(calmMs)
    }
    await deactivate(api, checks)
    await until('the agents have delivered everything', async () =>
      (await Promise.all(ports.map(isIdle))).every(Boolean),
    )
    return await audit(api, checks, between.acknowledged)
  } finally {
    for (const program of running.reverse()) await program.stop()
    await between.close()
    await target.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function runAgent(home: string, key: string, serverUrl: string, index: number, healthPort: number): Program {
  return startAgent({
    API_KEY: key,
    SERVER_URL: serverUrl,
    AGENT_LOCATIONS: region,
    AGENT_DATA_DIR: join(home, `agent-${index}`),
    AGENT_HEALTH_PORT: String(healthPort),
  })
}

function postmaster(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function isResponding(api: Api): Promise<boolean> {
  try {
    const response = await fetch(`${api.url()}/v1/accounts/me`, {
      headers: { authorization: `Bearer ${api.key}` },
    })
    return response.ok
  } catch {
    return false
  }
}
