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
    // The script really sent it, so the search can find it.
    const sent = shop.requests.slice(before).map(({ query, body }) => `${query.get('q')} ${body}`)
    expect(sent.join('\n')).toContain(shopToken)
    expect(result.hasFailures).toBe(true)
    return result
  }

  it('reach the target of a browser check, and are masked in its results', async () => {
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

  it('are masked in the results of a multi-step check', async () => {
    const result = await leak(
      await code.multiStep(leakyScript, { environmentVariables: environmentVariables() }),
    )
    expect(result.failure?.message).toMatch(/wrong: \*+ and/)
  })

  it('are masked in the results of a suite', async () => {
    // A suite has no secrets that are created at run time.
    const variables = [...environmentVariables(), { key: 'LATE', value: lateSecret, secret: true }]
    const id = await code.suite({ 'tests/leaky.spec.ts': leakyScript }, { environmentVariables: variables })
    const result = await leak(id)
    expect(result.failure?.message).toMatch(/\*+ and \*+/)
    expect(result.playwrightCheckResult?.playwrightTraceFiles).toHaveLength(1)
  })

  it('are in no response of the API', async () => {
    const { account } = scene
    const found: Finding[] = []
    const look = async (location: string, response: Response) => {
      expect([location, response.status]).toEqual([location, 200])
      found.push(...findSecrets(location, Buffer.from(await response.arrayBuffer()), forms))
    }
    expect(ran).toHaveLength(4)
    for (const { id, resultId } of ran) {
      const result = `${id}/${resultId}`
      const paths = [
        `/v1/check-results/${id}`,
        `/v1/check-results/${result}`,
        `/v1/check-results/${result}/assets`,
        `/v1/assets/check-results/${result}/logs.json`,
        `/v1/assets/check-results/${result}/check-run-data.json`,
        `/v1/error-groups/checks/${id}`,
        `/v1/check-alerts/${id}`,
      ]
      for (const location of paths) await look(location, await account.fetch(location))
      for (const asset of await code.assets(id, resultId)) {
        if (asset.url.startsWith('/v1/')) continue
        await look(`${asset.type} ${asset.name}`, await code.download(asset))
      }
    }
    expect(found).toEqual([])
  })

  it('are in no row, file or log line', async () => {
    const { installation, running } = scene
    const found: Finding[] = []
    let rows = 0
    for await (const { location, bytes } of rowsOf(installation.dataDir)) {
      rows += 1
      found.push(...findSecrets(location, bytes, forms))
    }
    expect(rows).toBeGreaterThan(100)
    const blobs: string[] = []
    const control: Finding[] = []
    for (const { location, bytes } of filesOf(installation.dataDir)) {
      if (location.startsWith('artifacts/')) {
        blobs.push(location)
        control.push(...findSecrets(location, bytes, formsOf(shop.url())))
      }
      found.push(...findSecrets(location, bytes, forms))
    }
    expect(blobs.length).toBeGreaterThan(10)
    // Control: the search finds values that aren't secret, also inside archives.
    expect(control.filter(({ location }) => location.includes('.trace')).length).toBeGreaterThan(2)
    found.push(...findSecrets('the logs', Buffer.from(running.output() + running.errors()), forms))
    expect(found).toEqual([])
  })
})
