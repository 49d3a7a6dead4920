import { describe, expect, it } from 'vitest'
import { assertionOptionsOf, frequenciesOf } from './form-facts.ts'
import { checkTypeNames, checkTypes, definitionOf } from './index.ts'

describe('what the form of a check type offers', () => {
  it.each(checkTypeNames)('%s: comparisons for each of its sources', (type) => {
    const options = assertionOptionsOf(definitionOf(type))
    expect(options.map(({ source }) => source)).toEqual(Object.keys(checkTypes[type].sources))
    for (const { comparisons } of options) expect(comparisons).toContain('EQUALS')
  })

  it('numbers are compared as numbers, and certificates by their properties', () => {
    const [status] = assertionOptionsOf(checkTypes.API)
    expect(status?.comparisons).toEqual(['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'])
    const [certificate] = assertionOptionsOf(checkTypes.SSL)
    expect(certificate?.properties).toContain('daysUntilExpiry')
  })

  it('frequencies of the type', () => {
    expect(frequenciesOf(checkTypes.URL)).toContain(0)
    expect(frequenciesOf(checkTypes.BROWSER)).not.toContain(0)
    expect(frequenciesOf(checkTypes.AGENTIC)[0]).toBe(5)
    expect(frequenciesOf(checkTypes.HEARTBEAT)).toEqual([])
  })
})
