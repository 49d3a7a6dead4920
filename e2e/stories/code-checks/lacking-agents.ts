import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAgenticCheck, createApiCheck, createPrivateLocation } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AgentProcess } from '../../agent-process.ts'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { inTurn, watchCode } from './watched-code.ts'

const look = `import { test, expect } from '@playwright/test'
test('look', async ({ request }) => {
  expect((await request.get(process.env.SHOP_URL + '/')).status()).toBe(200)
})
`
const lookInBrowser = `import { test, expect } from '@playwright/test'
test('look', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/')
  await expect(page).toHaveTitle('The writing shop')
})
`

export function lackingAgents(scene: Scene): void {
  const watched = watchCode(scene)
  let agent: AgentProcess
  // Other stories install more of them in the checkout. On the same file system, for hard links.
  const installed = fileURLToPath(new URL('../../../node_modules/.vedette-runtimes', import.meta.url))
  const runtimes = mkdtempSync(`${installed}-`)
  beforeAll(async () => {
    execFileSync('cp', ['-a', '--link', join(installed, '2026.04'), runtimes])
    chmodSync(runtimes, 0o755)
    const body = { name: 'A machine without tools', slugName: 'no-tools' }
    const { keys } = await scene.account.call(createPrivateLocation, { body })
    agent = await AgentProcess.start({
      ...scene.agentSettings,
      API_KEY: keys[0]?.rawKey as string,
      SERVER_URL: scene.account.baseUrl,
      CHROMIUM_PATH: '/nonexistent/chromium',
      AGENT_RUNTIMES: 'none',
      AGENT_RUNTIMES_DIR: runtimes,
    })
  }, 60_000)
  afterAll(async () => {
    await agent?.remove()
    rmSync(runtimes, { recursive: true })
  })

  const onBareMachine = () => ({
    locations: [],
    privateLocations: ['no-tools'],
    environmentVariables: [{ key: 'SHOP_URL', value: watched.shop.url() }],
  })

  it('a runtime: the result names it and the command that installs it', inTurn, async () => {
    const id = await watched.code.multiStep(look, { ...onBareMachine(), runtimeId: '2024.02' })
    const result = await scene.account.run(id)
    expect(result).toMatchObject({ hasErrors: true, hasFailures: false })
    expect(result.failure?.message).toContain('vedette runtime install 2024.02')
  })

  it('a browser: browser checks report it, and everything else works', inTurn, async () => {
    const { account } = scene
    const lacking = await account.run(await watched.code.browser(lookInBrowser, onBareMachine()))
    expect(lacking).toMatchObject({ hasErrors: true, hasFailures: false, runLocation: 'no-tools' })
    expect(lacking.failure?.message).toMatch(/no Chromium[\s\S]*CHROMIUM_PATH/)

    const steps = await account.run(await watched.code.multiStep(look, onBareMachine()))
    expect(steps).toMatchObject({ hasErrors: false, hasFailures: false, failure: null })

    const api = await account.call(createApiCheck, {
      body: {
        name: 'An API',
        ...onDemandOnly,
        locations: [],
        privateLocations: ['no-tools'],
        doubleCheck: false,
        request: { method: 'GET', url: watched.shop.url('/api/products') },
      },
    })
    expect(await account.run(api.id)).toMatchObject({ hasErrors: false, hasFailures: false, statusCode: 200 })
  })

  it('a model: runs of agentic checks name the setting', inTurn, async () => {
    const body = { name: 'In words', ...onDemandOnly, locations: ['eu-west-1' as const] }
    const prompt = `Open ${watched.shop.url('/')} and look around`
    const { id } = await scene.account.call(createAgenticCheck, { body: { ...body, prompt } })
    const result = await scene.account.run(id)
    expect(result).toMatchObject({ hasErrors: true, hasFailures: false })
    expect(result.failure?.message).toContain('MODEL_URL')
  })
}
