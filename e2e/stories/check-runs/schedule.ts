import {
  createApiCheck,
  createUrlMonitor,
  getCheckCoverage,
  listCheckResults,
  listCoverage,
  updateUrlMonitor,
} from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

/** The shortest period. */
const everyTenSeconds = { frequency: 0, frequencyOffset: 10 } as const

export function schedule(scene: Scene): void {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())

  const results = (checkId: string, resultType: 'ALL' | 'FINAL' = 'FINAL') =>
    scene.account.call(listCheckResults, { params: { checkId }, query: { resultType, limit: 100 } })
  const coverage = (id: string) => scene.account.call(getCheckCoverage, { params: { id } })

  it('is on time, rotates through its locations, and every slot is counted', {
    tags: ['story'],
  }, async () => {
    const { account } = scene
    const check = await account.call(createUrlMonitor, {
      body: {
        name: 'Every ten seconds',
        ...everyTenSeconds,
        locations: ['eu-west-1', 'us-east-1'],
        request: { url: site.url('/') },
      },
    })
    await until('three runs', async () => (await results(check.id)).length >= 3, 60_000)
    await account.call(updateUrlMonitor, { params: { id: check.id }, body: { activated: false } })

    const settled = await until('every run to be counted', async () => {
      const [runs, counted] = [await results(check.id), await coverage(check.id)]
      return counted.totals.executed === runs.length && { runs: runs.reverse(), counted }
    })
    const { runs, counted } = settled
    const slots = runs.map(({ scheduledAt }) => Date.parse(scheduledAt))
    for (const [index, slot] of slots.entries()) {
      expect((slot - (slots[0] as number)) % 10_000).toBe(0)
      expect(runs[index]).toMatchObject({ resultType: 'FINAL', attempts: 1, hasFailures: false })
      expect(Date.parse(runs[index]?.startedAt ?? '')).toBeGreaterThanOrEqual(slot)
    }
    expect(new Set(slots).size).toBe(slots.length)
    const inTurn = runs.every(({ runLocation }, index) => runLocation !== runs[index + 1]?.runLocation)
    expect(inTurn, JSON.stringify(runs.map(({ runLocation }) => runLocation))).toBe(true)
    const { totals, rows } = counted
    expect(totals.expected).toBe(totals.executed + totals.skipped + totals.missed)
    expect(totals.lag?.max).toBeLessThan(5_000)
    expect(rows.reduce((sum, row) => sum + row.executed, 0)).toBe(totals.executed)
    const all = await account.call(listCoverage, { query: { limit: 100 } })
    expect(all.find(({ checkId }) => checkId === check.id)?.totals).toEqual(totals)
  })

  it('skips a slot while a run is in progress, and counts it', { tags: ['story'] }, async () => {
    site.on('/long', { delayMs: 13_000 })
    const check = await scene.account.call(createUrlMonitor, {
      body: {
        name: 'Longer than its period',
        ...everyTenSeconds,
        locations: ['eu-west-1'],
        maxResponseTime: 30_000,
        request: { url: site.url('/long') },
      },
    })
    const { totals } = await until(
      'a skipped slot',
      async () => {
        const counted = await coverage(check.id)
        return counted.totals.skipped > 0 && counted.totals.executed > 0 && counted
      },
      60_000,
    )
    expect(totals.reasons.inProgress).toBe(totals.skipped)
    expect(totals.expected).toBe(totals.executed + totals.skipped + totals.missed)
    const [first] = (await results(check.id)).reverse()
    expect(first).toMatchObject({ hasFailures: false, isDegraded: true })
  })

  it('retries once from another location with doubleCheck', async () => {
    site.on('/double', { status: 500 }, {})
    const check = await scene.account.call(createApiCheck, {
      body: {
        name: 'Asked twice',
        ...everyTenSeconds,
        locations: ['eu-west-1', 'us-east-1'],
        request: { method: 'GET', url: site.url('/double') },
      },
    })
    const pair = await until(
      'the retry',
      async () => {
        const all = await results(check.id, 'ALL')
        const retried = all.find(({ attempts }) => attempts === 2)
        return retried && all.filter(({ sequenceId }) => sequenceId === retried.sequenceId)
      },
      40_000,
    )
    const [failed, retried] = pair.sort((one, other) => one.attempts - other.attempts)
    expect(failed).toMatchObject({ resultType: 'ATTEMPT', hasFailures: true, statusCode: 500 })
    expect(retried).toMatchObject({ resultType: 'FINAL', hasFailures: false, statusCode: 200 })
    expect(retried?.runLocation).not.toBe(failed?.runLocation)
    expect(retried?.scheduledAt).toBe(failed?.scheduledAt)
  })
}
