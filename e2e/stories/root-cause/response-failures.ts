import { createDeployment } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { fails, passes, requestAnalysis } from './analyzed-check.ts'
import type { Bakery } from './bakery.ts'

const json = { 'content-type': 'application/json' }

export function responseFailures(scene: Scene, bakery: Bakery): void {
  it('a slow first byte', async () => {
    const { account } = scene
    const id = await bakery.check(
      '/slow',
      'eu-west-3',
      {},
      { degradedResponseTime: 2_500, maxResponseTime: 2_500 },
    )
    await passes(account, id)
    bakery.site.on('/slow', { delayMs: 3_500 })
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('PERFORMANCE_ERROR')
    const [, now, before] =
      /^The slow phase is waiting for the first byte of the response: it took (\d+) ms instead of ([\d.]+) ms\./.exec(
        analysis.rootCause,
      ) ?? []
    expect(Number(now)).toBeGreaterThanOrEqual(3_400)
    expect(Number(before)).toBeLessThan(2_500)
    expect(analysis.userImpact).toMatch(/^Users wait [34](\.\d)? s for a response\./)
  })

  it('the wrong status since a deployment', async () => {
    const { account } = scene
    const id = await bakery.check('/oven', 'eu-north-1')
    const elsewhere = await bakery.check('/elsewhere', 'eu-south-1')
    await passes(account, id)
    const sha = '9b1f5a3e6d0c4b7e8f532f0f4d3a7c1198765432'
    const other = 'c0ffee5e6d0c4b7e8f532f0f4d3a7c1198765432'
    const mark = { environmentName: 'production', repository: 'example/bakery' }
    await account.call(createDeployment, { body: { ...mark, sha, checkId: id } })
    await account.call(createDeployment, { body: { ...mark, sha: other, checkId: elsewhere } })
    bakery.site.on('/oven', { status: 500 })
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain('The target responds with status 500 instead of 200')
    expect(analysis.rootCause).toMatch(
      /It began \d+ s after the deployment 9b1f5a3e6d0c of example\/bakery to production was marked\. \[/,
    )
    expect(analysis.evidence).toContainEqual({
      artifacts: [{ name: 'DEPLOYMENT', type: 'CHANGE' }],
      description: expect.stringContaining('9b1f5a3e6d0c'),
    })
    expect(JSON.stringify(analysis)).not.toContain('c0ffee')
  })

  it('JSON that lost a field', async () => {
    const { account } = scene
    const assertions = [{ source: 'JSON_BODY', property: '$.total', comparison: 'GREATER_THAN', target: '0' }]
    const orders = { orders: [{ id: 1, bread: 'rye' }], next: null }
    bakery.site.on('/orders', { headers: json, body: JSON.stringify({ ...orders, total: 7 }) })
    const id = await bakery.check('/orders', 'me-south-1', { assertions })
    await passes(account, id)
    bakery.site.on('/orders', { headers: json, body: JSON.stringify(orders) })
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain('The structure of the JSON response changed: $.total is missing.')
    expect(analysis.rootCause).toContain('That is why the assertion on JSON_BODY $.total fails.')
    expect(analysis.codeFix).toContain('$.total')
    // Only the structure is compared, not the values.
    expect(JSON.stringify(analysis)).not.toContain('rye')
  })

  it('a setup script that no longer gets a token', async () => {
    const { account } = scene
    const localSetupScript = `
      const response = await fetch('${bakery.site.url('/token')}')
      if (response.status !== 200) throw new Error('no token: ' + response.status)
      request.headers['x-token'] = await response.text()`
    const id = await bakery.check('/signed', 'ap-southeast-1', {}, { localSetupScript })
    await passes(account, id)
    expect(bakery.site.seen('/signed')).toHaveLength(3)
    bakery.site.on('/token', { status: 410 })
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('CONFIGURATION_ERROR')
    expect(analysis.rootCause).toMatch(/^The setup script failed: “Error: no token: 410 \(setup\.js:3\)”/)
    expect(analysis.rootCause).toContain('No request was sent.')
    expect(analysis.rootCause).toContain('It still worked when the check last passed.')
    expect(bakery.site.seen('/signed')).toHaveLength(3)
  })

  it('a location that the target refuses', async () => {
    const { account } = scene
    const settings = {
      locations: ['ap-northeast-1', 'ap-east-1'],
      runParallel: true,
      localSetupScript: "request.headers['x-from'] = REGION",
    }
    const id = await bakery.check('/counter', 'ap-east-1', {}, settings)
    await passes(account, id)
    bakery.site.on('/counter', { blocks: { header: 'x-from', value: 'ap-east-1' } })
    const { results } = await account.session(id)
    expect(results.map(({ runLocation, hasFailures }) => [runLocation, hasFailures]).sort()).toEqual([
      ['ap-east-1', true],
      ['ap-northeast-1', false],
    ])
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('CONFIGURATION_ERROR')
    const [here, there] = ['Hong Kong (built-in agent)', 'Tokyo (built-in agent)']
    expect(analysis.rootCause).toContain(`Only the location ${here} is affected`)
    expect(analysis.rootCause).toContain('refuses its requests with status 403')
    expect(analysis.rootCause).toContain(`passes in ${there} at the same time`)
    expect(analysis.rootCause).toContain('The same agent serves these locations')
    expect(analysis.userImpact).toContain(`Only ${here} is affected, not ${there}.`)
    expect(analysis.codeFix).toContain('Hong Kong')
  })

  it('a failure whose evidence is full of a secret, with the context of the user', async () => {
    const { account } = scene
    const { secret } = bakery
    const headers = [{ key: 'x-recipe', value: '{{{RECIPE}}}' }]
    const id = await bakery.check('/recipe', 'ap-southeast-2', { headers })
    bakery.site.on('/recipe', { headers: { server: 'oven' } })
    await passes(account, id, 1)
    expect(bakery.site.seen('/recipe').at(-1)?.headers['x-recipe']).toBe(secret)
    bakery.site.on('/recipe', {
      status: 503,
      headers: { server: `oven ${secret} ${encodeURIComponent(secret)}`, 'x-recipe': secret },
      body: secret,
    })
    await fails(account, id)
    const userContext = `We changed “${secret}” this morning. ${'Ask the baker. '.repeat(20)}`.slice(0, 256)
    const response = await requestAnalysis(account, id, userContext)
    expect(response.analysis.classification).toBe('INFRASTRUCTURE_ERROR')
    const [findings, context] = response.analysis.rootCause.split('\n\n')
    expect(findings).toContain('status 503 instead of 200')
    expect(findings).toContain(
      'A different server responds: the header “server” is “oven ********* *********” instead of “oven”',
    )
    expect(context).toMatch(/not verified: “We changed “\*+” this morning\. Ask the baker\. Ask/)
    const group = await account.fetch(`/v1/error-groups/${response.errorGroupId}`)
    for (const text of [JSON.stringify(response), await group.text()]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(encodeURIComponent(secret))
    }
    const tooMuch = await account.fetch(`/v1/root-cause-analyses/error-groups/${response.errorGroupId}`, {
      method: 'POST',
      body: JSON.stringify({ userContext: 'x'.repeat(257) }),
    })
    expect(tooMuch.status).toBe(400)
  })
}
