import { getErrorGroup, listCheckResults, updateAccount } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'
import { fails, groupOf, passes } from './analyzed-check.ts'
import type { Bakery } from './bakery.ts'

export function automatic(scene: Scene, bakery: Bakery): void {
  it('automatically if the account enables it, and is shown with the error group', async () => {
    const { account } = scene
    const before = await bakery.check('/before', 'af-south-1')
    const after = await bakery.check('/after', 'sa-east-1')
    const analysesOf = async (checkId: string) => {
      const { id } = await groupOf(account, checkId)
      return (await account.call(getErrorGroup, { params: { id } })).rootCauseAnalyses ?? []
    }
    await passes(account, before, 1)
    await passes(account, after, 1)
    bakery.site.on('/before', { status: 500 })
    bakery.site.on('/after', { status: 500 })
    await fails(account, before)
    const settings = { automaticRootCauseAnalysis: true }
    await account.call(updateAccount, { params: { accountId: account.id }, body: { settings } })
    // The failure isn't new when the account enables the analyses.
    await fails(account, before)
    await fails(account, after)

    const [made, ...others] = await until('an automatic analysis', async () => {
      const found = await analysesOf(after)
      return found.length > 0 && found
    })
    expect(others).toEqual([])
    expect(made).toMatchObject({ provider: 'vedette', model: 'rules', durationMs: expect.any(Number) })
    expect(made?.analysis).toMatchObject({
      classification: 'APPLICATION_ERROR',
      rootCause: expect.stringContaining('status 500 instead of 200'),
    })
    const [latest] = await account.call(listCheckResults, { params: { checkId: after } })
    expect(JSON.stringify(made?.analysis?.evidence)).toContain(latest?.id)
    expect(await analysesOf(before)).toEqual([])
  })
}
