import { describe, expect, it } from 'vitest'
import { agenticJob } from './agentic.fixture.ts'
import { AgenticWorld, buying, prompt } from './agentic-world.fixture.ts'

const world = new AgenticWorld()

describe('the first run of a prompt', { timeout: 60_000 }, () => {
  it('is performed by the model in a real browser, and creates an ordinary script', async () => {
    const outcome = await world.bought()
    expect(outcome.failure).toBeNull()
    expect(outcome.outcome).toBe('passed')
    expect(outcome.agenticScript?.kind).toBe('first')
    expect(outcome.agenticScript?.promptHash).toMatch(/^[0-9a-f]{64}$/)
    expect(outcome.agenticScript?.script).toBe(`import { expect, test } from '@playwright/test'

// Written by a run of an agentic check from its prompt; later runs replay it.
test.use({ actionTimeout: 10_000, navigationTimeout: 30_000 })

test('Shop in words', async ({ page }) => {
  test.setTimeout(220_000)

  await test.step('Open the shop', async () => {
    await page.goto(\`\${process.env.SHOP_URL}/\`)
  })

  await test.step('Verify: the shop is shown', async () => {
    await expect.poll(() => page.title()).toContain('pen shop')
  })

  await test.step('Buy a pen', async () => {
    await page.getByRole('button', { name: 'Buy' }).click()
    await page.screenshot({ path: 'screenshots/the-cart.png' })
  })

  await test.step('Verify: the cart holds one pen', async () => {
    await expect(page.getByText('Cart: 1 pen').first()).toBeVisible()
  })
})
`)
    expect(outcome.detail).toMatchObject({
      prompt,
      summary: 'Bought a pen; the cart holds it.',
      suggestions: [],
      errors: [],
      assertions: [
        { condition: 'the shop is shown', passed: true, actual: 'The pen shop', expected: 'pen shop' },
        { condition: 'the cart holds one pen', passed: true, actual: 'visible', expected: 'Cart: 1 pen' },
      ],
    })
    expect(outcome.files.map(({ name, type }) => [name, type])).toEqual([
      ['screenshots/the-cart.png', 'screenshot'],
      ['screenshots/last-page.png', 'screenshot'],
      ['trace.zip', 'trace'],
    ])
    expect(Object.keys(outcome.detail.artifactManifest as object)).toEqual(
      outcome.files.map(({ name }) => name),
    )
    expect(outcome.responseTimeMs).toBeGreaterThan(0)
  })

  it('reports its steps, without tokens and cost', async () => {
    const outcome = await world.bought()
    const steps = outcome.detail.steps as Record<string, unknown>[]
    expect(steps.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'tool_call navigate',
      'tool_result navigate',
      'tool_call assert',
      'tool_result assert',
      'tool_call click',
      'tool_result click',
      'tool_call screenshot',
      'tool_result screenshot',
      'tool_call assert',
      'tool_result assert',
      'tool_call done',
      'tool_result done',
    ])
    expect(steps.map(({ sequenceNumber }) => sequenceNumber)).toEqual(steps.map((_, index) => index + 1))
    expect(steps[0]).toMatchObject({ input: { intent: 'Open the shop', url: '{{SHOP_URL}}/' } })
    expect(Date.parse(String(steps[0]?.timestamp))).toBeGreaterThan(0)
    expect(steps[1]?.output).toContain('Title: The pen shop')
    expect(JSON.stringify(outcome.detail)).not.toMatch(/token|usage/)
  })

  it('masks secrets for the model, and gives values only to the browser', async () => {
    const secret = 'corr3ct horse'
    const signIn = 'Sign in at {{SHOP_URL}}/login as {{USER}} with {{PASSWORD}} and verify the greeting.'
    world.model.turns = [
      [['navigate', { intent: 'Open', url: '{{SHOP_URL}}/login' }]],
      [
        ['fill', { intent: 'Sign in', target: { by: 'label', value: 'Name' }, value: '{{USER}}' }],
        ['fill', { intent: 'Sign in', target: { by: 'label', value: 'Password' }, value: '{{PASSWORD}}' }],
        ['click', { intent: 'Sign in', target: { by: 'role', value: 'button', name: 'Sign in' } }],
      ],
      [
        [
          'assert',
          {
            condition: 'it greets',
            kind: 'contains_text',
            target: { by: 'role', value: 'heading' },
            expected: 'Hello {{USER}}',
          },
        ],
      ],
      [['done', { outcome: 'passed', summary: 'Signed in' }]],
    ]
    // U+2028 is a line break for readline, but not in JSON lines.
    const variables = { SHOP_URL: world.shop.url, USER: 'ada', PASSWORD: secret, NOTE: 'one\u2028two' }
    const outcome = await world.run(agenticJob(signIn, { variables, secrets: [secret] }))
    expect(outcome.failure).toBeNull()
    expect(outcome.agenticScript?.script).toContain(
      "page.getByLabel('Password').fill(process.env.PASSWORD ?? '')",
    )
    expect(outcome.agenticScript?.script).toContain('toContainText(`Hello $' + '{process.env.USER}`)')
    const sent = JSON.stringify(world.model.requests.map(({ body }) => body))
    expect(sent).toContain('Your password is *********')
    expect(sent).toContain('Hello ada')
    expect(sent).not.toContain('corr3ct')
    expect(JSON.stringify(outcome.detail)).not.toContain('corr3ct')
    expect(outcome.agenticScript?.script).not.toContain('corr3ct')
  })

  it('fails with the actual value when an assertion fails, and creates no script', {
    tags: ['story'],
  }, async () => {
    world.shop.isBroken = true
    world.model.turns = buying()
    const outcome = await world.run()
    expect(outcome.outcome).toBe('failed')
    expect(outcome.failure).toMatchObject({
      kind: 'assertion',
      message: 'the cart holds one pen: expected Cart: 1 pen, but found hidden.',
    })
    expect(outcome.agenticScript).toBeUndefined()
    expect(outcome.detail).toMatchObject({ errors: [{ message: outcome.failure?.message }] })
  })

  it('fails with the summary of the model when the site cannot do it', { tags: ['story'] }, async () => {
    world.model.turns = [
      [['navigate', { intent: 'Open', url: '{{SHOP_URL}}' }]],
      [
        [
          'suggest',
          {
            summary: 'There are no pencils',
            category: 'configuration',
            prompt: 'a pencil',
            promptReplacement: 'a pen',
          },
        ],
        ['done', { outcome: 'failed', summary: 'There are no pencils in this shop' }],
      ],
    ]
    const outcome = await world.run()
    expect(outcome.outcome).toBe('failed')
    expect(outcome.failure?.message).toBe('There are no pencils in this shop')
    expect(outcome.detail.suggestions).toEqual([
      {
        summary: 'There are no pencils',
        category: 'configuration',
        prompt: 'a pencil',
        promptReplacement: 'a pen',
        secrets: [],
      },
    ])
  })
})
