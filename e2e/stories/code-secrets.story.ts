import { createVariable } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CodeAccount, logOf } from '../code-account.ts'
import { Scene } from '../scene.ts'
import { Shop } from '../target/shop.ts'
import { filesOf, rowsOf } from './code-secrets/everything-stored.ts'
import { lateSecret, leakyPlainScript, leakyScript } from './code-secrets/leaky-script.ts'
import { type Finding, findSecrets, formsOf } from './code-secrets/secret-search.ts'

const shopToken = 'swordfish/éclair "41" & more'
const fileToken = 'quillfeather93xz'

describe('secrets of code', { timeout: 180_000 }, () => {
  const scene = new Scene()
  const forms = [shopToken, fileToken, lateSecret].flatMap(formsOf)
  let shop: Shop
  let code: CodeAccount
  beforeAll(async () => {
    shop = await Shop.open()
    await scene.open()
    code = new CodeAccount(scene.account)
    const secret = (key: string, value: string) =>
      scene.account.call(createVariable, { body: { key, value, secret: true } })
    await secret('SHOP_TOKEN', shopToken)
    await secret('FILE_TOKEN', fileToken)
  }, 180_000)
  afterAll(async () => {
    await scene.close()
    await shop.shut()
  })

  const environmentVariables = () => [{ key: 'SHOP_URL', value: shop.url() }]
  const ran: { id: string; resultId: string }[] = []

  async function leak(id: string) {
    const before = shop.requests.length
    const result = await scene.account.run(id)
    ran.push({ id, resultId: result.id })
    // It did go out to where the script sent it: what is looked for existed.
    const sent = shop.requests.slice(before).map(({ query, body }) => `${query.get('q')} ${body}`)
    expect(sent.join('\n')).toContain(shopToken)
    expect(result.hasFailures).toBe(true)
    return result
  }

  it('go where a browser check sends them, and are masked in what it leaves', async () => {
    const result = await leak(
      await code.browser(leakyScript, { environmentVariables: environmentVariables() }),
    )
    expect(result.failure?.message).toMatch(/wrong: \*+ and \*+ and \*+/)
    expect(logOf(result.browserCheckResult)).toMatch(/page says \*+ and/)
    const assets = await code.assets(result.checkId, result.id)
    expect(assets.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['trace', 'screenshot', 'report', 'file']),
    )
    const plain = await leak(
      await code.browser(leakyPlainScript, { environmentVariables: environmentVariables() }),
    )
    expect(plain.failure?.message).toMatch(/plainly wrong: \*+/)
  })

  it('are masked in what a multi-step check leaves', async () => {
    const result = await leak(
      await code.multiStep(leakyScript, { environmentVariables: environmentVariables() }),
    )
    expect(result.failure?.message).toMatch(/wrong: \*+ and/)
  })

  it('are masked in what a suite leaves', async () => {
    // A suite has no secrets that are made while it runs.
    const variables = [...environmentVariables(), { key: 'LATE', value: lateSecret, secret: true }]
    const id = await code.suite({ 'tests/leaky.spec.ts': leakyScript }, { environmentVariables: variables })
    const result = await leak(id)
    expect(result.failure?.message).toMatch(/\*+ and \*+/)
    expect(result.playwrightCheckResult?.playwrightTraceFiles).toHaveLength(1)
  })

  it('are in nothing that the API tells', async () => {
    const { account } = scene
    const found: Finding[] = []
    const look = async (place: string, answer: Response) => {
      expect([place, answer.status]).toEqual([place, 200])
      found.push(...findSecrets(place, Buffer.from(await answer.arrayBuffer()), forms))
    }
    expect(ran).toHaveLength(4)
    for (const { id, resultId } of ran) {
      const result = `${id}/${resultId}`
      const places = [
        `/v1/check-results/${id}`,
        `/v1/check-results/${result}`,
        `/v1/check-results/${result}/assets`,
        `/v1/assets/check-results/${result}/logs.json`,
        `/v1/assets/check-results/${result}/check-run-data.json`,
        `/v1/error-groups/checks/${id}`,
        `/v1/check-alerts/${id}`,
      ]
      for (const place of places) await look(place, await account.fetch(place))
      for (const asset of await code.assets(id, resultId)) {
        if (asset.url.startsWith('/v1/')) continue
        await look(`${asset.type} ${asset.name}`, await code.download(asset))
      }
    }
    expect(found).toEqual([])
  })

  it('are in no row, in no file and in no line of a log', async () => {
    const { installation, running } = scene
    const found: Finding[] = []
    let rows = 0
    for await (const { place, bytes } of rowsOf(installation.dataDir)) {
      rows += 1
      found.push(...findSecrets(place, bytes, forms))
    }
    expect(rows).toBeGreaterThan(100)
    const blobs: string[] = []
    const control: Finding[] = []
    for (const { place, bytes } of filesOf(installation.dataDir)) {
      if (place.startsWith('artifacts/')) {
        blobs.push(place)
        control.push(...findSecrets(place, bytes, formsOf(shop.url())))
      }
      found.push(...findSecrets(place, bytes, forms))
    }
    expect(blobs.length).toBeGreaterThan(10)
    // What is no secret is found that way, inside of archives too.
    expect(control.filter(({ place }) => place.includes('.trace')).length).toBeGreaterThan(2)
    found.push(...findSecrets('the logs', Buffer.from(running.output() + running.errors()), forms))
    expect(found).toEqual([])
  })
})
