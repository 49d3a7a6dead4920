import { acceptAgenticScript, createAgenticCheck, listAgenticScripts } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDemandOnly, Scene } from '../scene.ts'
import { Shop } from '../target/shop.ts'
import { customer } from '../target/shop-state.ts'
import { ScriptedModel } from './agentic-checks/scripted-model.ts'

const prompt = 'Open {{SHOP_URL}}, put a fountain pen into the cart and verify that the cart says €24.00.'

describe('an agentic check', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let shop: Shop
  let model: ScriptedModel
  let id: string
  beforeAll(async () => {
    shop = await Shop.open()
    model = await ScriptedModel.open()
    await scene.open(model.settings)
    id = await check(prompt)
  }, 180_000)
  afterAll(async () => {
    await scene.close()
    await model.close()
    await shop.shut()
  })

  async function check(words: string): Promise<string> {
    const environmentVariables = [
      { key: 'SHOP_URL', value: shop.url() },
      { key: 'PASSWORD', value: customer.password, secret: true },
    ]
    const body = { name: 'A pen, in words', ...onDemandOnly, locations: ['eu-west-1' as const] }
    const made = await scene.account.call(createAgenticCheck, {
      body: { ...body, prompt: words, environmentVariables },
    })
    return made.id
  }

  const scripts = () => scene.account.call(listAgenticScripts, { params: { id } })

  const buying = (label: string) => [
    [['navigate', { intent: 'Open the pen', url: '{{SHOP_URL}}/products/pen' }]] as const,
    [['click', { intent: 'Buy it', target: { by: 'role', value: 'button', name: label } }]] as const,
    [['assert', { condition: 'the cart says its price', kind: 'text_visible', expected: '€24.00' }]] as const,
    [['done', { outcome: 'passed', summary: 'The pen is in the cart.' }]] as const,
  ]

  it('is performed by the model once, which writes an ordinary script', async () => {
    model.prepare(...buying('Add to cart'))
    const result = await scene.account.run(id)
    expect(result).toMatchObject({ hasFailures: false, hasErrors: false, failure: null })
    expect(result.agenticCheckResult).toMatchObject({
      prompt,
      summary: 'The pen is in the cart.',
      assertions: [{ condition: 'the cart says its price', passed: true }],
    })
    expect(model.isDone).toBe(true)
    const [script, ...others] = await scripts()
    expect(others).toEqual([])
    expect(script).toMatchObject({ status: 'current', isForCurrentPrompt: true, resultId: result.id })
    expect(script?.script).toContain("import { expect, test } from '@playwright/test'")
    expect(script?.script).toContain("getByRole('button', { name: 'Add to cart' })")
    expect(model.received).not.toContain(customer.password)
  })

  it('is then replayed without the model', async () => {
    const { calls } = model
    const visits = shop.seen('/cart').length
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(model.calls).toBe(calls)
    expect(shop.seen('/cart').length).toBeGreaterThan(visits)
  })

  it('fails when the shop has changed, and proposes a repair instead of changing itself', async () => {
    shop.breaks({ buttonLabel: 'Put into the basket' })
    model.prepare(...buying('Put into the basket'))
    const failed = await scene.account.run(id)
    expect(failed).toMatchObject({ hasFailures: true })
    expect(failed.failure?.message).toContain('Add to cart')
    const [proposed, current] = await scripts()
    expect([proposed?.status, current?.status]).toEqual(['proposed', 'current'])
    expect(proposed?.script).toContain('Put into the basket')
    expect(JSON.stringify(failed.agenticCheckResult?.suggestions)).toContain('review')

    const params = { id, scriptId: proposed?.id as string }
    expect(await scene.account.call(acceptAgenticScript, { params })).toMatchObject({ status: 'current' })
    expect((await scripts()).map(({ status }) => status)).toEqual(['current', 'replaced'])
    const { calls } = model
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(model.calls).toBe(calls)
    shop.fix()
  })
})
