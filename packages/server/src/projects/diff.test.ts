import { describe, expect, it } from 'vitest'
import { type Bound, planChanges } from './diff.ts'

const bound = (logicalId: string, isPending = false): Bound => ({
  type: 'check',
  logicalId,
  physicalId: `id of ${logicalId}`,
  isPending,
})
const member = (logicalId: string) => ({ type: 'check' as const, logicalId })
const exists = () => true

describe('the plan of a deployment', () => {
  it('creates, updates and deletes', () => {
    const plan = planChanges([member('a'), member('b')], [bound('b'), bound('c')], {
      exists,
      preservesResources: false,
    })
    expect(plan).toEqual({
      created: [member('a')],
      updated: [{ member: member('b'), bound: bound('b') }],
      deleted: [bound('c')],
      detached: [],
      gone: [],
    })
  })

  it('keeps resources outside of the project if the caller wants that', () => {
    const plan = planChanges([], [bound('a')], { exists, preservesResources: true })
    expect(plan).toMatchObject({ deleted: [], detached: [bound('a')] })
  })

  it('creates again what people have deleted', () => {
    const plan = planChanges([member('a')], [bound('a'), bound('b')], {
      exists: () => false,
      preservesResources: false,
    })
    expect(plan).toMatchObject({ created: [member('a')], updated: [], deleted: [], gone: [bound('b')] })
  })

  it("doesn't delete what is imported and not committed", () => {
    const plan = planChanges([], [bound('a', true)], { exists, preservesResources: false })
    expect(plan).toMatchObject({ deleted: [], detached: [], gone: [] })
  })

  it('tells types apart', () => {
    const group = { type: 'check-group' as const, logicalId: 'a' }
    const plan = planChanges([group], [bound('a')], { exists, preservesResources: false })
    expect(plan).toMatchObject({ created: [group], deleted: [bound('a')] })
  })
})
