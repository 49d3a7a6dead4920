// The whole flow in real cells: performed and replayed, with the agent's egress only.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBrowsers } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { cellLevel, cellOpener, closeCells } from '../../sandbox/open-cell.ts'
import { browserArgs } from '../browser-args.ts'
import { scriptRunner } from '../script/run-script.ts'
import { ScriptHosts } from '../script/script-host.ts'
import {
  agenticJob,
  codeContext,
  type ScriptedModel,
  type Shop,
  startModel,
  startShop,
  testRuntime,
} from './agentic.fixture.ts'
import { agenticRunner, replayWith } from './run-agentic.ts'

const openCell = cellOpener('auto')

let folder: string
let hosts: ScriptHosts
let model: ScriptedModel
let shop: Shop
let runner: ReturnType<typeof agenticRunner>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vedette-agentic-'))
  const runtime = testRuntime()
  const { level } = await cellLevel()
  const browsers = await layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules/playwright-core'),
    into: join(folder, 'browsers'),
    browserArgs: browserArgs(level),
    programs: findBrowsers({}),
  })
  const network = networkPolicy({ mode: 'default' })
  hosts = new ScriptHosts({ folder: join(folder, 'programs'), openCell, runtime, browsers, network })
  ;[model, shop] = await Promise.all([startModel(), startShop()])
  runner = agenticRunner({
    model: model.settings,
    openCell,
    runtime: async () => runtime,
    browsers: async () => browsers,
    replay: replayWith(scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: runtime.name }) })),
  })
})
afterAll(async () => {
  await Promise.all([model.close(), shop.close(), hosts.close()])
  await closeCells()
  await rm(folder, { recursive: true, force: true })
})

it('a prompt is performed in a cell, and its script replayed there', {
  tags: ['story'],
  timeout: 120_000,
}, async () => {
  model.turns = [
    [['navigate', { intent: 'Open the shop', url: '{{SHOP_URL}}' }]],
    [['click', { intent: 'Buy a pen', target: { by: 'role', value: 'button', name: 'Buy' } }]],
    [['assert', { condition: 'the cart holds one pen', kind: 'text_visible', expected: 'Cart: 1 pen' }]],
    [['navigate', { intent: 'Look elsewhere', url: 'http://169.254.169.254/' }]],
    [['done', { outcome: 'passed', summary: 'Bought a pen.' }]],
  ]
  const job = agenticJob('Buy a pen at {{SHOP_URL}}', { variables: { SHOP_URL: shop.url } })
  const first = await runner(job, codeContext())
  await first.release()
  expect(first.failure).toBeNull()
  expect(first.files.map(({ name }) => name)).toContain('trace.zip')
  const elsewhere = (first.detail.steps as { name: string; output: string }[]).findLast(
    ({ name, output }) => name === 'navigate' && output !== '',
  )
  expect(elsewhere?.output).toMatch(/^error: page\.goto: net::ERR_/)

  const written = first.agenticScript
  if (!written) throw new Error('the first run left no script')
  expect(written.script).not.toContain('169.254')
  const again = await runner(
    { ...job, agenticScript: { ...written, isRepairProposed: false } },
    codeContext(),
  )
  await again.release()
  expect(again.failure).toBeNull()
  expect(again.detail).toMatchObject({
    summary: 'Replayed the script of this prompt: all 3 steps passed.',
    assertions: [{ condition: 'the cart holds one pen', passed: true }],
  })
  expect(model.requests).toHaveLength(5)
})
