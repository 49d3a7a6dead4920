import { type Job, maxAgenticScripts, type ReportedResult } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { promptHashOf } from '../testing/agentic-scripts.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'

const prompt = 'Open {{SHOP_URL}} and buy a pen'
const everyMs = 5 * 60_000

let sim: Simulation
let agent: SimulatedAgent
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1'])
})
afterAll(() => sim.close())

async function agenticCheck(): Promise<string> {
  const { body, status, text } = await sim.api.alice.post('/v1/checks/agentic', {
    name: 'Shop in words',
    prompt,
    frequency: 5,
    frequencyOffset: 10,
    locations: ['eu-west-1'],
    environmentVariables: [
      { key: 'SHOP_URL', value: 'http://127.0.0.1/' },
      { key: 'UNNAMED', value: 'not for the agent' },
    ],
  })
  expect(status, text).toBe(201)
  return body.id
}

async function nextJob(checkId: string): Promise<Job> {
  for (let passed = 0; passed < 3; passed++) {
    sim.pass(everyMs)
    const jobs = await agent.claim({ checkTypes: ['AGENTIC'], freeCode: 20 })
    const found = jobs.find((job) => job.checkId === checkId)
    if (found) return found
  }
  throw new Error('the check did not come up')
}

type Written = NonNullable<ReportedResult['agenticScript']>

async function runWith(checkId: string, agenticScript: Written | null, more: Partial<ReportedResult> = {}) {
  const job = await nextJob(checkId)
  const reported = { ...job, statusCode: null, metrics: [20], ...more, agenticScript }
  expect(await agent.report(reported)).toEqual([true])
  return { job, reported }
}

const first = (script: string): Written => ({ kind: 'first', script, promptHash: promptHashOf(prompt) })
const repair = (script: string): Written => ({ kind: 'repair', script, promptHash: promptHashOf(prompt) })

async function scriptsOf(checkId: string): Promise<[string, string][]> {
  const { body } = await sim.api.alice.get(`/v1/checks/agentic/${checkId}/scripts`)
  return body.map(({ status, script }: { status: string; script: string }) => [status, script])
}

it('sends the script of the first run to later runs, with only the variables that the prompt names', async () => {
  const checkId = await agenticCheck()
  const { job } = await runWith(checkId, first('// one'))
  expect(job.agenticScript).toBeNull()
  expect(job.variables).toEqual({ SHOP_URL: 'http://127.0.0.1/' })
  const { job: next } = await runWith(checkId, null)
  expect(next.agenticScript).toEqual({
    script: '// one',
    promptHash: promptHashOf(prompt),
    isRepairProposed: false,
  })
})

it('keeps the first script, and stores it once', async () => {
  const checkId = await agenticCheck()
  const { reported } = await runWith(checkId, first('// one'))
  await agent.report({ ...reported, agenticScript: first('// again') })
  await runWith(checkId, first('// two'))
  expect(await scriptsOf(checkId)).toEqual([['current', '// one']])
})

it('a repaired script waits for review while the old one is used, and a newer proposal replaces it', async () => {
  const checkId = await agenticCheck()
  const failed = {
    outcome: 'failed',
    failure: { kind: 'script', message: 'no button', phase: 'judge' },
  } as const
  await runWith(checkId, first('// one'))
  await runWith(checkId, repair('// two'), failed)
  const { job } = await runWith(checkId, repair('// three'), failed)
  expect(job.agenticScript).toMatchObject({ script: '// one', isRepairProposed: true })
  expect(await scriptsOf(checkId)).toEqual([
    ['proposed', '// three'],
    ['replaced', '// two'],
    ['current', '// one'],
  ])
})

it('replays an accepted script', async () => {
  const checkId = await agenticCheck()
  await runWith(checkId, first('// one'))
  await runWith(checkId, repair('// two'))
  const path = `/v1/checks/agentic/${checkId}/scripts`
  const [{ id }] = (await sim.api.alice.get(path)).body
  expect((await sim.api.alice.post(`${path}/${id}/accept`)).status).toBe(200)
  const { job } = await runWith(checkId, null)
  expect(job.agenticScript).toMatchObject({ script: '// two', isRepairProposed: false })
})

it('a changed prompt has no script, and the old prompt gets its old script back', async () => {
  const checkId = await agenticCheck()
  await runWith(checkId, first('// one'))
  await sim.api.alice.put(`/v1/checks/agentic/${checkId}`, { prompt: 'Open {{SHOP_URL}}' })
  const { job } = await runWith(checkId, null)
  expect(job.agenticScript).toBeNull()
  await sim.api.alice.put(`/v1/checks/agentic/${checkId}`, { prompt })
  const { job: back } = await runWith(checkId, null)
  expect(back.agenticScript).toMatchObject({ script: '// one' })
})

it('scripts are deleted with their check', async () => {
  const checkId = await agenticCheck()
  await runWith(checkId, first('// one'))
  expect((await sim.api.alice.delete(`/v1/checks/${checkId}`)).status).toBe(204)
  const { rows } = await sim.api.store.pool.query(
    'select count(*)::int as n from agentic_scripts where check_id = $1',
    [checkId],
  )
  expect(rows).toEqual([{ n: 0 }])
})

it('keeps only the newest scripts if the prompt changes often', async () => {
  const checkId = await agenticCheck()
  await runWith(checkId, first('of this prompt'))
  const { pool } = sim.api.store
  await pool.query(
    `insert into agentic_scripts (id, account_id, check_id, prompt_hash, script, status, created_at)
     select gen_random_uuid(), $1, $2, 'prompt ' || n, 'old', 'current', now() - n * interval '1 day'
     from generate_series(1, 100) n`,
    [sim.api.alice.accountId, checkId],
  )
  await runWith(checkId, first('comes too late'))
  const scripts = await scriptsOf(checkId)
  expect(scripts.length).toBeLessThanOrEqual(maxAgenticScripts + 1)
  expect(scripts).toContainEqual(['current', 'of this prompt'])
})
