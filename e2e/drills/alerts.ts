// kill -9 of the server between the decision of an alert and its delivery, several times. Afterwards every alert must have
// reached every channel once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, triggerCheckSessions } from '@vedette/contracts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { type AlertBooks, auditAlerts } from './alert-books.ts'
import { AlertGround } from './alert-ground.ts'
import { type Moment, moments } from './alert-moments.ts'
import { createAgentKey, type Program, startAgent, startServer } from './fleet.ts'

interface AlertDrillOptions {
  kills: number
  checks?: number
  log?: (line: string) => void
}

const timeoutMs = 90_000

export async function alertDrill({
  kills,
  checks = 3,
  log = () => {},
}: AlertDrillOptions): Promise<AlertBooks> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-alerts-'))
  const ground = await AlertGround.open()
  const port = String(await freePort())
  const environment = { PORT: port, DATA_DIR: join(home, 'data'), ...ground.mail.settings }
  const baseUrl = `http://127.0.0.1:${port}`
  const running: Program[] = []
  try {
    let server = await startServer(environment)
    running.push(server)
    if (server.first === null) throw new Error('the data folder was not new')
    const { key: apiKey, accountId } = server.first
    await ground.settle(createClient({ baseUrl, apiKey, accountId }), checks)
    running.push(await runAgent(home, environment, baseUrl))

    for (let kill = 1; kill <= kills; kill++) {
      const moment = moments[kill % moments.length] as Moment
      await reach(moment, ground, kill)
      await server.kill()
      await moment.release(ground)
      server = await startServer(environment)
      running.push(server)
      const expected = kill * checks
      const hasCome = () => Math.min(ground.webhook.receiver.messages.length, ground.mail.mails.length)
      await until(`message ${expected}`, () => hasCome() >= expected, timeoutMs)
      log(`kill ${kill}, ${moment.name}: all ${expected} alerts arrived`)
    }
    return await auditAlerts(ground, kills)
  } finally {
    for (const program of running.reverse()) await program.stop()
    await ground.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Breaks or fixes the site, and waits until every check has noticed. */
async function reach(moment: Moment, ground: AlertGround, decision: number): Promise<void> {
  const held = { webhook: ground.webhook.receiver.held.length, mail: ground.mail.held.length }
  await moment.prepare(ground)
  ground.site.on('/', { status: decision % 2 === 1 ? 500 : 200 })
  await ground.client.call(triggerCheckSessions, { body: { target: { checkId: ground.checks } } })
  const expected = decision * ground.checks.length
  await until(`decision ${decision}`, async () => (await ground.alerts()).length >= expected, timeoutMs)
  await until(moment.name, () => moment.hasCome(ground, held), timeoutMs)
}

async function runAgent(
  home: string,
  environment: Record<string, string>,
  serverUrl: string,
): Promise<Program> {
  return startAgent({
    API_KEY: await createAgentKey(environment),
    SERVER_URL: serverUrl,
    AGENT_LOCATIONS: 'eu-west-1',
    AGENT_DATA_DIR: join(home, 'agent'),
    AGENT_HEALTH_PORT: '0',
  })
}
