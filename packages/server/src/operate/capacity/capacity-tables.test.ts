import { readFileSync } from 'node:fs'
import { checkTypeNames } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { withCapacityTables } from './capacity-tables.ts'
import { capacityFigures } from './figures.generated.ts'

const document = readFileSync(new URL('../../../../../docs/scaling.md', import.meta.url), 'utf8')

describe('docs/scaling.md', () => {
  it('has the tables of the measured figures', () => {
    expect(withCapacityTables(document, capacityFigures)).toBe(document)
  })

  it('has a row for every type and every size', () => {
    const rows = document.split('\n').filter((line) => line.startsWith('| '))
    for (const name of [...checkTypeNames, '1,000', '10,000', '100,000', '1,000,000'])
      expect(rows.filter((row) => row.startsWith(`| ${name} |`))).not.toEqual([])
  })

  it('changes with the figures', () => {
    const other = { ...capacityFigures, memory: { ...capacityFigures.memory, serverMb: 12_345 } }
    expect(withCapacityTables(document, other)).not.toBe(document)
  })

  it('needs its marks', () => {
    expect(() => withCapacityTables('# Scaling', capacityFigures)).toThrow('docs/scaling.md must have')
  })
})
