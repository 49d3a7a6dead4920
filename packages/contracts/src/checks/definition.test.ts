import { describe, expect, it } from 'vitest'
import { CheckResult } from '../results/check-results.ts'
import { metricIndexes, responseTimeMetrics } from '../runs/runs.ts'
import { TestSessionResultDetail } from '../runs/test-session-results.ts'
import { type AssertionSource, groupings } from './definition.ts'
import { checkTypeNames, definitionOf } from './index.ts'
import { assertionSources, typeFacts } from './type-facts.generated.ts'

describe.each(checkTypeNames)('the definition of %s', (type) => {
  const definition = definitionOf(type)

  it('is listed under its own type', () => {
    expect(definition.type).toBe(type)
    expect(definition.input.shape.checkType?.parse(undefined)).toBe(type)
  })

  it('names only metrics that it has', () => {
    const { metrics, responseTimeMetric, summary } = definition
    const named = [responseTimeMetric ?? [], Object.values(summary)].flat()
    expect(Object.keys(metrics)).toEqual(expect.arrayContaining(named))
    expect(summary.responseTime === undefined || summary.latency === undefined).toBe(true)
  })

  it('groups reports by what is stored of its runs', () => {
    const { analytics, result } = definition
    expect(groupings).toEqual(expect.arrayContaining([...(analytics?.groupBy ?? [])]))
    if (analytics?.groupBy.includes('statusCode')) expect(result?.kind).toBe('http')
  })

  it('runs code exactly where its evidence is that of code', () => {
    expect(definition.result?.kind === 'code').toBe(definition.capacity === 'code')
  })

  it('is what agents know of the type', () => {
    const { capacity, runLimitMs } = definition
    expect(typeFacts[type]).toMatchObject({ capacity, runLimitMs })
    expect(metricIndexes[type]).toEqual(
      Object.fromEntries(Object.entries(definition.metrics).map(([name, { index }]) => [name, index])),
    )
    expect(responseTimeMetrics[type]).toBe(definition.responseTimeMetric)
    expect(assertionSources).toMatchObject(definition.sources)
  })
})

describe('what types share', () => {
  it('no path, component name, report or histogram twice', () => {
    for (const key of ['path', 'name', 'title'] as const) expectUnique(definitions.map((one) => one[key]))
    expectUnique(definitions.flatMap(({ analytics }) => analytics?.path ?? []))
    expectUnique(definitions.flatMap(({ timingMetric }) => timingMetric ?? []))
  })

  it('an assertion source means the same in all types', () => {
    const known = new Map<string, AssertionSource>()
    for (const [name, source] of definitions.flatMap(({ sources }) => Object.entries(sources))) {
      expect(source).toEqual(known.get(name) ?? source)
      known.set(name, source)
    }
  })

  it('evidence is part of results and of results of test sessions', () => {
    const fields = definitions.flatMap(({ result }) => result?.field ?? [])
    expect(Object.keys(CheckResult.shape)).toEqual(expect.arrayContaining(fields))
    expect(Object.keys(TestSessionResultDetail.shape)).toEqual(expect.arrayContaining(fields))
  })

  it('a result field has one schema', () => {
    const known = new Map<string, unknown>()
    for (const { result } of definitions) {
      if (result === null) continue
      expect(result.schema).toBe(known.get(result.field) ?? result.schema)
      known.set(result.field, result.schema)
    }
  })
})

const definitions = checkTypeNames.map(definitionOf)

function expectUnique(values: readonly string[]): void {
  expect(new Set(values).size).toBe(values.length)
}
