// Builds each image, starts it with the settings of compose.yml, and runs checks against a site on this machine.
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { listen } from '../../target/listen.ts'
import { composeSettings } from '../containers/settings.ts'
import { until } from '../fleet.ts'
import { type Api, call } from '../load.ts'
import { runChecks } from '../upgrade/create-everything.ts'
import { Engine } from './engine.ts'
import { ensureTools, type Started } from './tools.ts'

const timeoutMs = 300_000
const targets = ['agent', 'agent-browser', 'server'] as const

/** Resolves to the faults; none is the expected outcome. */
export async function imagesDrill(log: (line: string) => void): Promise<string[]> {
  ensureTools()
  const folder = mkdtempSync(join(tmpdir(), 'vedette-images-'))
  const site = await listen(() =>
    createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>Shop</title>')
    }),
  )
  const started: Started[] = []
  const faults: string[] = []
  const engine = await Engine.open(folder)
  try {
    await engine.makeBase()
    log('the base is built')
    const images = new Map<string, string>()
    for (const target of targets) {
      images.set(target, await engine.build(target))
      log(`${target}: built, ${await engine.sizeMb(images.get(target) as string)} MB`)
    }
    await engine.findRunner(images.get('agent') as string)
    log(engine.describe())
    const settings = composeSettings('agent').flatMap(({ options }) => options)
    const start = async (target: string, environment: Record<string, string>) => {
      const container = await engine.start(images.get(target) as string, environment, settings)
      started.push(container)
      return container
    }
    const url = `http://127.0.0.1:${site.port}/`
    const api = await startServer(start)
    log('server: ready')
    faults.push(...(await runBoth('server', api, url, { locations: ['eu-west-1'] }, true, log)))
    for (const target of ['agent', 'agent-browser']) {
      const { slugName, key } = await createLocation(api, target)
      const environment = {
        API_KEY: key,
        SERVER_URL: api.url(),
        AGENT_NAME: target,
        AGENT_HEALTH_PORT: String(await freePort()),
      }
      const agent = await start(target, environment)
      const health = `http://127.0.0.1:${environment.AGENT_HEALTH_PORT}`
      await untilReady(`${target} is ready`, `${health}/-/readiness`, agent)
      const report = (await (await fetch(`${health}/health`)).json()) as { codeSandbox?: { level?: string } }
      const level = report.codeSandbox?.level
      log(`${target}: ready, isolation of code: ${level}`)
      if (engine.isPodman && level !== 'strong')
        faults.push(`${target}: ${JSON.stringify(report.codeSandbox)}`)
      const where = { privateLocations: [slugName] }
      faults.push(...(await runBoth(target, api, url, where, target === 'agent-browser', log)))
      await agent.stop()
    }
  } catch (error) {
    faults.push((error as Error).stack ?? String(error))
    for (const { output } of started) log(output().split('\n').slice(-15).join('\n'))
  } finally {
    for (const container of started.reverse()) await container.stop()
    await site.close()
    await engine.remove()
  }
  return faults
}

export async function startServer(
  start: (target: string, environment: Record<string, string>) => Promise<Started>,
): Promise<Api> {
  const port = await freePort()
  const environment = { PORT: String(port), HOST: '127.0.0.1', AGENT_HEALTH_PORT: String(await freePort()) }
  const server = await start('server', environment)
  const url = `http://127.0.0.1:${port}`
  await untilReady('the server is ready', `${url}/readyz`, server)
  const find = (pattern: RegExp) => pattern.exec(server.output())?.[1] ?? ''
  await until('the server printed its key', () => find(/Account id\s+(\S+)/) !== '', timeoutMs)
  return { url: () => url, key: find(/API key\s+(\S+)/), accountId: find(/Account id\s+(\S+)/) }
}

async function untilReady(what: string, url: string, { hasEnded, output }: Started): Promise<void> {
  const isReady = async () => {
    if (hasEnded()) throw new Error(`it ended by itself:\n${output().slice(-3000)}`)
    const response = await fetch(url).catch(() => null)
    return response?.ok ?? false
  }
  await until(what, isReady, timeoutMs)
}

async function createLocation(api: Api, slugName: string): Promise<{ slugName: string; key: string }> {
  const { keys } = (await call(api, 'POST', '/v1/private-locations', { name: slugName, slugName })) as {
    keys: { rawKey: string }[]
  }
  return { slugName, key: keys[0]?.rawKey as string }
}

export async function runBoth(
  what: string,
  api: Api,
  url: string,
  where: object,
  withBrowser: boolean,
  log: (line: string) => void,
): Promise<string[]> {
  const create = async (path: string, body: object) =>
    (
      (await call(api, 'POST', `/v1/checks/${path}`, { frequency: 1440, ...where, ...body })) as {
        id: string
      }
    ).id
  const script = `import { test, expect } from '@playwright/test'
test('home', async ({ page }) => { await page.goto(${JSON.stringify(url)}); await expect(page).toHaveTitle('Shop') })`
  const checks = [
    await create('url', { name: `${what}: URL`, request: { url } }),
    ...(withBrowser ? [await create('browser', { name: `${what}: browser`, script })] : []),
  ]
  const faults: string[] = []
  for (const id of await runChecks(api, checks)) {
    const { name, status } = (await call(api, 'GET', `/v1/check-sessions/${id}`)) as {
      name: string
      status: string
    }
    log(`${name} check ${status}`)
    if (status !== 'PASSED') faults.push(`${name} check is ${status}: ${await explain(api, id)}`)
  }
  return faults
}

async function explain(api: Api, sessionId: string): Promise<string> {
  const session = (await call(api, 'GET', `/v1/check-sessions/${sessionId}`)) as {
    results?: { checkId: string; checkResultId: string }[]
  }
  const [result] = session.results ?? []
  if (result === undefined) return 'no result'
  const path = `/v1/check-results/${result.checkId}/${result.checkResultId}`
  return JSON.stringify(((await call(api, 'GET', path)) as { failure: unknown }).failure)
}
