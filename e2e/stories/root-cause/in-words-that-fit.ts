import { createUrlMonitor } from '@vedette/contracts'
import { expect, it } from 'vitest'
import { CodeAccount } from '../../code-account.ts'
import type { Scene } from '../../scene.ts'
import { selfSigned } from '../../target/certificates.ts'
import { Site } from '../../target/site.ts'
import { fails, passes, planted, requestAnalysis } from './analyzed-check.ts'
import type { Bakery } from './bakery.ts'

const day = 86_400_000

export function inWordsThatFit(scene: Scene, bakery: Bakery): void {
  it('a page with the wrong text is an assertion failure, not a timeout', async () => {
    const { account } = scene
    const path = '/welcome'
    const page = (text: string) => ({ headers: { 'content-type': 'text/html' }, body: `<h1>${text}</h1>` })
    bakery.site.on(path, page('Welcome, Ann'))
    const id = await new CodeAccount(account).browser(
      `import { test, expect } from '@playwright/test'
      test('greets', async ({ page }) => {
        await page.goto('${bakery.site.url(path)}')
        await expect(page.locator('h1')).toHaveText('Welcome, Ann', { timeout: 2000 })
      })`,
      { locations: ['us-west-2'] },
    )
    await passes(account, id, 1)
    bakery.site.on(path, page('Oops, something went wrong'))
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain(
      `expected locator('h1') to have text "Welcome, Ann", but it was "Oops, something went wrong".`,
    )
    expect(analysis.userImpact).toContain(
      'get “"Oops, something went wrong"” where “"Welcome, Ann"” is expected',
    )
    expect(JSON.stringify(analysis.codeFix)).not.toMatch(/timeout|in time/)
  })

  it('a status with the error that the response states, counted without retries', async () => {
    const { account } = scene
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 2, sameRegion: true }
    const id = await bakery.check('/pool', 'us-east-2', {}, { retryStrategy })
    await passes(account, id)
    bakery.site.on('/pool', {
      status: 500,
      headers: { 'content-type': 'application/json' },
      body: '{"error":"database connection pool exhausted","customer":"Ann"}',
    })
    await fails(account, id)
    await fails(account, id)
    bakery.site.on('/pool', {})
    await passes(account, id, 1)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.rootCause).toContain(
      'The response states the error “database connection pool exhausted”.',
    )
    expect(analysis.codeFix).toContain('“database connection pool exhausted”')
    expect(analysis.userImpact).toContain('Users get status 500 instead of what they asked for.')
    expect(analysis.userImpact).toMatch(
      /2 consecutive runs failed with this error, .* UTC on .*, then it passed\./,
    )
    expect(JSON.stringify(analysis)).not.toContain('Ann')
  })

  it('a certificate that expired and is self-signed: both, with a remedy', async ({ onTestFinished }) => {
    const { account, authority } = scene
    const hosts = ['localhost']
    const site = await Site.open({ tls: authority.issue({ hosts }) })
    onTestFinished(() => site.shut())
    const { id } = await account.call(createUrlMonitor, {
      body: { ...planted('Safe', 'us-east-2'), request: { url: site.url() } },
    })
    await passes(account, id, 1)
    await site.present(
      selfSigned({ hosts, from: new Date(Date.now() - 90 * day), until: new Date(Date.now() - day) }),
    )
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('CERTIFICATE_ERROR')
    expect(analysis.rootCause).toMatch(/^The certificate of localhost expired on \d{4}-/)
    expect(analysis.rootCause).toContain('The certificate of localhost is self-signed')
    expect(analysis.codeFix).toContain("Renewing this one alone won't help, because it is self-signed.")
    expect(analysis.userImpact).toContain('Browsers show a certificate warning')
  })

  it('several locations that one agent serves: no confirmation', async () => {
    const { account } = scene
    const locations = ['ap-south-1', 'ap-northeast-2', 'ap-northeast-3']
    const id = await bakery.check('/everywhere', 'ap-south-1', {}, { locations, runParallel: true })
    await passes(account, id, 1)
    bakery.site.on('/everywhere', { status: 502 })
    await account.session(id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.userImpact).toContain('All locations are affected: ')
    expect(analysis.userImpact).toContain('(built-in agent)')
    expect(analysis.userImpact).toContain(
      "All three locations are served by the same agent, so this doesn't show whether the target or the agent's network is at fault.",
    )
  })
}
