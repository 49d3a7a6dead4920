import { createPrivateLocation, createUrlMonitor } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentCommand } from '../../agent-process.ts'
import type { Scene } from '../../scene.ts'
import { canHaveIslands, Island } from '../../target/island.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import { fails, passes, planted, requestAnalysis } from './analyzed-check.ts'

const location = 'the-quay'
const serverPort = 8000

/** The story controls the DNS, and each loopback address acts as another machine. */
export function onTheIsland(scene: Scene): void {
  const island = new Island()
  const names: Record<string, { A: string[] }> = {}
  let well: Site
  let ill: Site

  beforeAll(async () => {
    if (!canHaveIslands) return
    well = await Site.open()
    ill = await Site.open()
    const { keys } = await scene.account.call(createPrivateLocation, {
      body: { name: 'The quay', slugName: location },
    })
    const key = { API_KEY: keys[0]?.rawKey as string, SERVER_URL: `http://127.0.0.1:${serverPort}` }
    await island.settle(
      agentCommand,
      { ...scene.agentSettings, ...key },
      {
        [serverPort]: scene.installation.port,
        '127.0.0.2:80': well.port,
        '127.0.0.3:80': well.port,
        '127.0.0.4:80': ill.port,
      },
    )
    await until('the agent on the island', () => island.log().includes('agent.ready'), 60_000)
  }, 90_000)
  afterAll(async () => {
    await island.remove()
    await well?.shut()
    await ill?.shut()
  })

  const story = it.skipIf(!canHaveIslands)
  const settings = { locations: [], privateLocations: [location] }

  async function leads(name: string, ...addresses: string[]): Promise<void> {
    names[name] = { A: addresses }
    await island.send({ order: 'names', zone: { names } })
  }

  story('a name that resolves to another address, where no server listens', async () => {
    const { account } = scene
    await leads('moved.test', '127.0.0.2')
    const { id } = await account.call(createUrlMonitor, {
      body: { ...planted('Moved'), ...settings, request: { url: 'http://moved.test/' } },
    })
    await passes(account, id)
    await leads('moved.test', '127.0.0.9')
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('DNS_ERROR')
    expect(analysis.rootCause).toContain(
      'The name moved.test resolves to another address: 127.0.0.9, where runs fail, instead of 127.0.0.2',
    )
    const resolved = analysis.evidence?.find(({ description }) => description.includes('127.0.0.9'))
    expect(resolved?.artifacts).toContainEqual({ name: 'DNS_ANSWER', type: 'DNS' })
    expect(JSON.stringify(analysis.evidence)).toContain('resolver 127.0.0.1')
  })

  story('one bad address of three', async () => {
    const { account } = scene
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
    const turn = async () => {
      await leads('shared.test', ...addresses)
      addresses.push(addresses.shift() as string)
    }
    await turn()
    const { id } = await account.call(createUrlMonitor, {
      body: { ...planted('Shared'), ...settings, request: { url: 'http://shared.test/' } },
    })
    await passes(account, id, 1)
    for (const _ of ['127.0.0.3', '127.0.0.4']) {
      await turn()
      await passes(account, id, 1)
    }
    ill.on('/', { status: 500 })
    for (const runs of [passes, passes, fails, passes, passes, fails]) {
      await turn()
      await runs(account, id, 1)
    }
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('INFRASTRUCTURE_ERROR')
    expect(analysis.rootCause).toContain('Of the addresses of shared.test, only 127.0.0.4 is faulty')
    expect(analysis.rootCause).toMatch(/runs that connected to (127\.0\.0\.[23], ){1}127\.0\.0\.[23] passed/)
    expect(analysis.codeFix).toContain('127.0.0.4')
    expect(analysis.userImpact).toContain('It comes and goes')
  })
}
