import { describe, expect, it } from 'vitest'
import { AgenticWorld, buying, prompt } from './agentic-world.fixture.ts'
import type { AgenticDeps } from './perform.ts'
import { agenticRunner } from './run-agentic.ts'
import { writeScript } from './script.ts'

const world = new AgenticWorld()

/** Enough to see that something is not on a page. */
const hasteMs = 2_000

/** Fails at once. */
const broken = writeScript('Broken', [{ title: 'Verify: all is well', statements: ['expect(1).toBe(2)'] }])

describe('later runs of a prompt', { timeout: 90_000 }, () => {
  it('replay the script without the model', async () => {
    const written = await world.script()
    const job = world.job({ agenticScript: { ...written, isRepairProposed: false } })
    const outcome = await world.run(job, agenticRunner(world.deps({ model: null })))
    expect(outcome.failure).toBeNull()
    expect(outcome.outcome).toBe('passed')
    expect(outcome.agenticScript).toBeUndefined()
    expect(world.model.requests).toEqual([])
    expect(outcome.detail).toMatchObject({
      prompt,
      summary: 'Replayed the script of this prompt: all 4 steps passed.',
      script: written.script,
      assertions: [
        { condition: 'the shop is shown', passed: true },
        { condition: 'the cart holds one pen', passed: true },
      ],
    })
  })

  it('perform the prompt again when the script belongs to another prompt', async () => {
    const agenticScript = {
      script: '// of another prompt',
      promptHash: '0'.repeat(64),
      isRepairProposed: false,
    }
    world.model.turns = buying()
    const outcome = await world.run(world.job({ agenticScript }))
    expect(outcome.agenticScript?.kind).toBe('first')
  })

  it('propose a repaired script when the site has changed, but still fail', {
    tags: ['story'],
  }, async () => {
    const written = await world.script()
    world.shop.buyLabel = 'Add to cart'
    const changed = { by: 'role', value: 'button', name: 'Add to cart' }
    world.model.turns = [
      [['read', {}]],
      [['click', { intent: 'Buy a pen', target: changed }]],
      [['assert', { condition: 'the cart holds one pen', kind: 'text_visible', expected: 'Cart: 1 pen' }]],
      [['done', { outcome: 'passed', summary: 'The button has another name now.' }]],
    ]
    const replay: AgenticDeps['replay'] = (script, job) =>
      world.replay(script, job, script === written.script ? hasteMs : undefined)
    const runner = agenticRunner(world.deps({ replay }))
    const job = world.job({ agenticScript: { ...written, isRepairProposed: false } })
    const outcome = await world.run(job, runner)
    expect(outcome.outcome).toBe('failed')
    expect(outcome.failure?.message).toBe('the script failed')
    expect(outcome.agenticScript).toMatchObject({ kind: 'repair', promptHash: written.promptHash })
    const script = outcome.agenticScript?.script ?? ''
    expect(script).toContain("getByRole('button', { name: 'Add to cart' }).click()")
    expect(script).not.toContain("name: 'Buy'")
    // What still worked is kept as it was.
    expect(script).toContain("expect.poll(() => page.title()).toContain('pen shop')")
    expect(outcome.detail).toMatchObject({
      script: written.script,
      assertions: [
        { condition: 'the shop is shown', passed: true },
        { condition: 'the cart holds one pen', passed: false, actual: 'not reached' },
      ],
      suggestions: [{ category: 'configuration', summary: expect.stringContaining('waits for review') }],
    })
    expect(outcome.files.map(({ name }) => name)).toContain('repair/trace.zip')
    const task = world.model.requests[0]?.body.messages.find(({ role }) => role === 'user')
    expect(task?.content).toContain('Its first 2 steps have just been performed again')
    expect(task?.content).toContain('- the cart holds one pen')

    // The proposal works, and costs nothing more while it waits.
    const accepted = { ...written, script, isRepairProposed: false }
    expect((await world.run(world.job({ agenticScript: accepted }), runner)).outcome).toBe('passed')
    const count = world.model.requests.length
    const waiting = { ...job, agenticScript: { ...written, script: broken, isRepairProposed: true } }
    expect((await world.run(waiting, runner)).outcome).toBe('failed')
    expect(world.model.requests).toHaveLength(count)
  })

  it('propose nothing when the site is broken, and use the model once an hour', {
    tags: ['story'],
  }, async () => {
    const { promptHash } = await world.script()
    world.model.turns = [[['read', {}]], [['done', { outcome: 'failed', summary: 'The cart is broken' }]]]
    const runner = agenticRunner(world.deps())
    const job = world.job({ agenticScript: { script: broken, promptHash, isRepairProposed: false } })
    const outcome = await world.run(job, runner)
    expect(outcome.outcome).toBe('failed')
    expect(outcome.agenticScript).toBeUndefined()
    expect(outcome.detail.suggestions).toEqual([])
    expect(world.model.requests).toHaveLength(2)
    await world.run(job, runner)
    expect(world.model.requests).toHaveLength(2)
  })

  it('send the error to the model, without secrets', {
    tags: ['story'],
  }, async () => {
    const { promptHash } = await world.script()
    world.model.turns = [[['done', { outcome: 'failed', summary: 'It is broken' }]]]
    const variables = { SHOP_URL: world.shop.url, PASSWORD: 'corr3ct horse' }
    const agenticScript = { script: broken, promptHash, isRepairProposed: false }
    const job = world.job({ variables, secrets: ['corr3ct horse'], agenticScript })
    const failure = { kind: 'script', phase: 'judge', message: 'no "corr3ct horse" here' } as const
    const replay = async () => ({ ...(await world.replay(broken, job)), failure })
    await world.run(job, agenticRunner(world.deps({ replay })))
    const task = world.model.requests[0]?.body.messages.find(({ role }) => role === 'user')
    expect(task?.content).toContain('Error: no "*********" here')
    expect(JSON.stringify(world.model.requests.map(({ body }) => body))).not.toContain('corr3ct')
  })

  it('propose nothing with fewer assertions', { tags: ['story'] }, async () => {
    const written = await world.script()
    world.shop.isBroken = true
    world.model.turns = [
      [['assert', { condition: 'the shop is shown', kind: 'title_contains', expected: 'pen' }]],
      [['done', { outcome: 'passed', summary: 'Looks fine to me' }]],
    ]
    const job = world.job({ agenticScript: { ...written, isRepairProposed: false } })
    const replay: AgenticDeps['replay'] = (script, replayed) => world.replay(script, replayed, hasteMs)
    const outcome = await world.run(job, agenticRunner(world.deps({ replay })))
    expect(outcome.outcome).toBe('failed')
    expect(outcome.agenticScript).toBeUndefined()
  })
})
