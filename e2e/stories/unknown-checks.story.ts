import {
  createAlertChannel,
  createPrivateLocation,
  createUrlMonitor,
  listAlertNotifications,
  listCheckStatuses,
  listLocationAlarms,
  updateMyAccount,
} from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Account } from '../account.ts'
import { AgentProcess } from '../agent-process.ts'
import { Webhook } from '../receivers/webhook.ts'
import { Scene } from '../scene.ts'
import { Site } from '../target/site.ts'
import { until } from '../until.ts'

const count = 200
const path = '/pager'

interface PlainMessage {
  title: string
  kind: string
  alarm: { cause: string; checkCount: number; checks: string[] }
}

describe('checks of one private location, each every 10 seconds', { timeout: 600_000 }, () => {
  const scene = new Scene()
  const agents: AgentProcess[] = []
  let site: Site
  let webhook: Webhook
  let key: string
  let account: Account
  let lead: string

  beforeAll(async () => {
    site = await Site.open()
    webhook = await Webhook.open()
    await scene.open()
    account = scene.account
  }, 300_000)
  afterAll(async () => {
    for (const one of agents) await one.remove()
    await scene.close()
    await webhook.receiver.shut()
    await site.shut()
  })

  const startAgent = async () => {
    const settings = { ...scene.agentSettings, API_KEY: key, SERVER_URL: account.baseUrl }
    const agent = await AgentProcess.start({ ...settings, AGENT_RUNTIMES: 'none' })
    agents.push(agent)
    return agent
  }
  const statuses = async () => (await account.call(listCheckStatuses)).filter((status) => status !== null)
  const allAre = (state: string) => async () =>
    (await statuses().catch(() => [])).filter((status) => status.state === state).length === count
  const badge = async () => (await account.fetch(`/v1/badges/checks/${lead}`)).text()
  const messages = () => webhook.to(path).map(({ body }) => body as PlainMessage)
  const unknownAlarms = async () =>
    (await account.call(listLocationAlarms)).filter(({ kind }) => kind === 'unknown_checks')
  const notifyAfter = (notifyUnknownAfterSeconds: number) =>
    account.call(updateMyAccount, { body: { settings: { notifyUnknownAfterSeconds } } })

  it('are unknown before an agent connects, and then pass', async () => {
    await account.call(createAlertChannel, {
      body: {
        type: 'WEBHOOK',
        config: {
          name: 'Pager',
          url: webhook.receiver.url(path),
          method: 'POST',
          headers: [],
          queryParameters: [],
        },
      },
    })
    const made = await account.call(createPrivateLocation, { body: { name: 'Office', slugName: 'office' } })
    key = made.keys[0]?.rawKey as string
    for (let n = 0; n < count; n++) {
      const check = await account.call(createUrlMonitor, {
        body: {
          ...{ name: `Check ${n}`, frequency: 0, frequencyOffset: 10, doubleCheck: false },
          ...{ locations: [], privateLocations: ['office'], request: { url: site.url('/home') } },
          maxResponseTime: 30_000,
          degradedResponseTime: 30_000,
        },
      })
      lead = check.id
    }
    expect((await statuses()).map(({ state }) => state)).toEqual(
      Array.from({ length: count }, () => 'unknown'),
    )
    expect(await badge()).toContain('unknown')
    await startAgent()
    await until('all checks to pass', allAre('passing'), 120_000)
    expect(await badge()).toContain('passing')
    expect(messages()).toEqual([])
  })

  it('are unknown after the agent is killed, with exactly one message', async () => {
    await notifyAfter(15)
    await agents[0]?.kill()
    await until('all checks to be unknown', allAre('unknown'), 180_000)
    const [status] = await statuses()
    expect(status).toMatchObject({ lastState: 'passing', hasFailures: false })
    expect(status?.reason).toMatch(/: the location Office has no connected agent\.$/)
    expect(await badge()).toContain('unknown')
    await until('the message', () => messages().length > 0, 120_000)
    expect(messages()).toMatchObject([
      {
        title: `${count} checks aren't running: Office has no connected agent`,
        alarm: { cause: 'no_agent', checkCount: count },
      },
    ])
    expect(messages()[0]?.alarm.checks).toHaveLength(count)
    expect(await unknownAlarms()).toMatchObject([{ location: 'office', checkCount: count, resolvedAt: null }])
  })

  it('run again with the agent, with exactly one message', async () => {
    // A busy machine may run some of them late.
    await notifyAfter(300)
    await startAgent()
    await until('all checks to pass', allAre('passing'), 120_000)
    await until('the message', () => messages().length > 1, 60_000)
    expect(messages().map(({ kind }) => kind)).toEqual(['unknown', 'resumed'])
    expect(messages()[1]?.title).toBe(`${count} checks run again`)
    expect(await badge()).toContain('passing')
    const log = await account.call(listAlertNotifications)
    expect(log.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(webhook.receiver.faults).toEqual([])
  })

  it('cause no message when the server is down for a minute and runs resume', async () => {
    await scene.running.terminate()
    const back = Date.now() + 60_000
    await until('a minute to pass', () => Date.now() >= back, 90_000)
    const environment = { ...scene.agentSettings, RATE_LIMIT_PER_MINUTE: '1000000' }
    const running = await scene.installation.start({
      ...environment,
      RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
    })
    account = new Account(scene.installation, running, account.headers)
    await until('all checks to pass', allAre('passing'), 180_000)
    expect(messages()).toHaveLength(2)
    expect(await unknownAlarms()).toHaveLength(1)
  })
})
