import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCheckGroup, createSnippet, createVariable } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { openShop } from './shop.ts'

const json = { 'content-type': 'application/json' }

export function variablesAndScripts(scene: Scene): void {
  const shop = openShop(scene, { degradedResponseTime: 20_000, maxResponseTime: 20_000 })
  const check = shop.check

  it('renders variables, those of the group before those of the account', async () => {
    const { account } = scene
    await account.call(createVariable, { body: { key: 'TOWN', value: 'Bern' } })
    await account.call(createVariable, { body: { key: 'SHELF', value: 'from the account' } })
    const group = await account.call(createCheckGroup, {
      body: {
        name: 'Shop',
        locations: ['eu-west-1'],
        doubleCheck: false,
        environmentVariables: [{ key: 'SHELF', value: 'of the group' }],
        apiCheckDefaults: { url: shop.site.url('/base'), headers: [{ key: 'x-group', value: '{{TOWN}}' }] },
      },
    })
    const id = await check(
      {
        method: 'POST',
        url: '{{GROUP_BASE_URL}}/{{TOWN}}/items?shelf={{SHELF}}',
        bodyType: 'JSON',
        body: '{"id": "{{$UUID}}", "day": "{{moment "YYYY-MM-DD"}}"}',
      },
      { groupId: group.id },
    )
    expect(await account.run(id)).toMatchObject({ hasFailures: false, statusCode: 200 })
    const [seen] = shop.site.seen('/base/Bern/items')
    expect(seen).toMatchObject({ query: { shelf: 'of the group' }, headers: { 'x-group': 'Bern' } })
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    })
  })

  it('never leaks a secret: not in results, logs or on disk', async () => {
    const { account, running, installation } = scene
    const secret = 'swordfish/éclair 41'
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
    await account.call(createVariable, { body: { key: 'SHOP_TOKEN', value: secret, secret: true } })
    shop.site.on('/mirror', {
      status: 500,
      headers: { ...json, 'x-mirror': encodeURIComponent(secret) },
      body: JSON.stringify({ token: secret, encoded: forms[2] }),
    })
    const id = await check(
      {
        method: 'POST',
        url: `${shop.site.url('/mirror')}?token={{SHOP_TOKEN}}`,
        headers: [{ key: 'authorization', value: 'Bearer {{{SHOP_TOKEN}}}' }],
        bodyType: 'RAW',
        body: 'token={{{SHOP_TOKEN}}}',
        assertions: [
          { source: 'JSON_BODY', property: '$.token', comparison: 'EQUALS', target: 'another' },
          { source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'not there' },
        ],
      },
      { localSetupScript: 'console.log("token", process.env.SHOP_TOKEN)' },
    )
    const result = await account.run(id)
    expect(result).toMatchObject({ hasFailures: true, statusCode: 500 })
    expect(result.apiCheckResult).toMatchObject({
      request: { url: expect.stringContaining('token=***'), data: expect.stringMatching(/^token=\*+$/) },
      response: { body: expect.stringContaining('***') },
      jobLog: { setup: [{ msg: expect.stringMatching(/^token \*+$/) }] },
    })
    expect(shop.site.seen('/mirror')).toMatchObject([{ body: `token=${secret}`, query: { token: secret } }])

    const paths = [
      `/v1/check-results/${id}`,
      `/v2/check-results/${id}`,
      `/v1/check-results/${id}/${result.id}`,
      `/v1/assets/check-results/${id}/${result.id}/logs.json`,
      `/v1/assets/check-results/${id}/${result.id}/check-run-data.json`,
      `/v1/error-groups/checks/${id}`,
      `/v1/variables/SHOP_TOKEN`,
    ]
    for (const path of paths) {
      const response = await account.fetch(path)
      expect([path, response.status]).toEqual([path, 200])
      expectNone(path, await response.text(), forms)
    }
    expectNone('the logs', running.output() + running.errors(), forms)
    expectNone('the disk', everythingIn(installation.dataDir), forms)
  })

  it('runs scripts before and after the request, with snippets', async () => {
    const { account } = scene
    await account.call(createSnippet, {
      body: {
        name: 'sign',
        script: "exports.sign = (text) => require('crypto').createHash('sha256').update(text).digest('hex')",
      },
    })
    const after = await account.call(createSnippet, {
      body: {
        name: 'after',
        script:
          "const body = JSON.parse(response.body)\nresponse.body = JSON.stringify({ ...body, status: response.statusCode })\nconsole.log('status', response.statusCode)",
      },
    })
    shop.site.on('/signed', { headers: json, body: '{"stock": 3}' })
    const id = await check(
      {
        method: 'POST',
        url: shop.site.url('/signed'),
        bodyType: 'RAW',
        body: 'an order for {{WHOM}}',
        assertions: [{ source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: '200' }],
      },
      {
        localSetupScript: [
          "const { sign } = require('./snippets/sign')",
          "process.env.WHOM = 'Alice'",
          "request.headers['x-signature'] = sign(request.url)",
          "console.log('signed in', REGION)",
        ].join('\n'),
        tearDownSnippetId: after.id,
      },
    )
    const result = await account.run(id)
    expect(result).toMatchObject({ hasFailures: false, failure: null })
    expect(shop.site.seen('/signed')).toMatchObject([
      { body: 'an order for Alice', headers: { 'x-signature': expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ])
    expect(result.apiCheckResult?.jobLog).toMatchObject({
      setup: [{ msg: 'signed in eu-west-1' }],
      teardown: [{ msg: 'status 200' }],
    })
  })

  it('sends no request after a failed setup script, and names the script', async () => {
    const id = await check(
      { url: shop.site.url('/never') },
      { localSetupScript: "throw new Error('no stamp')" },
    )
    const result = await scene.account.run(id)
    expect(result).toMatchObject({
      hasFailures: true,
      failure: { kind: 'script', phase: 'setup', message: expect.stringContaining('no stamp') },
    })
    expect(shop.site.seen('/never')).toEqual([])
  })

  it('reveals nothing of the machine to scripts', async () => {
    const script = [
      "const leaked = [process.env.API_KEY, process.env.SERVER_URL, process.env.AGENT_DATA_DIR].join('|')",
      'let read = "nothing"',
      "try { read = require('fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8') } catch (error) { read = 'refused' }",
      "request.headers['x-leaked'] = leaked",
      "request.headers['x-read'] = encodeURIComponent(read.slice(0, 200))",
    ].join('\n')
    const id = await check({ url: shop.site.url('/spy') }, { localSetupScript: script })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    const [seen] = shop.site.seen('/spy')
    expect(seen?.headers['x-leaked']).toBe('||')
    expect(seen?.headers['x-read']).toEqual(expect.not.stringContaining('API_KEY'))
  })
}

function expectNone(path: string, text: string, forms: string[]): void {
  for (const form of forms) expect(text.includes(form), `${form} in ${path}`).toBe(false)
}

/** As one long text; files may be deleted while they are read. */
function everythingIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.map(({ parentPath, name }) => readQuietly(join(parentPath, name))).join('\n')
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
