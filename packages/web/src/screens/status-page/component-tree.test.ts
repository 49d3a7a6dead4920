import { describe, expect, it } from 'vitest'
import {
  canMoveInto,
  type EditedComponent,
  moveBy,
  moveTo,
  stepsBetween,
  withoutBranch,
} from './component-tree.ts'

function make(id: string, parentId: string | null, type: 'GROUP' | 'SERVICE' = 'SERVICE'): EditedComponent {
  return {
    ...{ id, parentId, type, name: id, description: null, hidden: false, configuration: {} },
    serviceId: type === 'GROUP' ? null : `s-${id}`,
  }
}

const list = [
  make('web', null, 'GROUP'),
  make('shop', 'web'),
  make('cart', 'web'),
  make('api', null, 'GROUP'),
]
const ids = (components: readonly EditedComponent[]) => components.map(({ id }) => id).join(' ')

describe('moving components', () => {
  it('goes one step among siblings, with all that is inside', () => {
    expect(ids(moveBy(list, 'cart', -1))).toBe('web cart shop api')
    expect(ids(moveBy(list, 'shop', 1))).toBe('web cart shop api')
    expect(ids(moveBy(list, 'web', 1))).toBe('api web shop cart')
    expect(ids(moveBy(list, 'web', -1))).toBe('web shop cart api')
    expect(ids(moveBy(list, 'cart', 1))).toBe('web shop cart api')
  })

  it('goes into another group, before one of its members or to the end', () => {
    expect(ids(moveTo(list, 'shop', 'api', null))).toBe('web cart api shop')
    expect(ids(moveTo(list, 'shop', null, 'web'))).toBe('shop web cart api')
    expect(ids(moveTo(list, 'api', 'web', 'cart'))).toBe('web shop api cart')
  })

  it('never goes into itself, into a service, or deeper than three levels', () => {
    expect(canMoveInto(list, 'web', 'web')).toBe(false)
    expect(canMoveInto(list, 'api', 'shop')).toBe(false)
    const deep = [make('a', null, 'GROUP'), make('b', 'a', 'GROUP'), make('c', 'b', 'GROUP'), make('x', null)]
    expect(canMoveInto(deep, 'x', 'b')).toBe(true)
    expect(canMoveInto(deep, 'x', 'c')).toBe(false)
    expect(canMoveInto(deep, 'a', 'b')).toBe(false)
  })

  it('removes a group with all that is in it', () => expect(ids(withoutBranch(list, 'web'))).toBe('api'))
})

describe('the requests that store an edited list', () => {
  it('are none without a change', () => expect(stepsBetween(list, structuredClone(list))).toEqual([]))

  it('order siblings when one of them has moved', () => {
    expect(stepsBetween(list, moveBy(list, 'cart', -1))).toEqual([
      { kind: 'update', id: 'cart', fields: { displayOrder: 0 } },
      { kind: 'update', id: 'shop', fields: { displayOrder: 1 } },
    ])
  })

  it('change only what was changed', () => {
    const renamed = list.map((one) => (one.id === 'shop' ? { ...one, name: 'Store', hidden: true } : one))
    expect(stepsBetween(list, renamed)).toEqual([
      { kind: 'update', id: 'shop', fields: { name: 'Store', hidden: true } },
    ])
  })

  it('remove services first and groups last, inner ones before outer ones', () => {
    const before = [make('a', null, 'GROUP'), make('b', 'a', 'GROUP'), make('c', 'b'), make('d', 'b')]
    const after = [make('new', null), { ...make('d', 'b'), parentId: null }]
    expect(stepsBetween(before, after).map((step) => [step.kind, 'id' in step ? step.id : ''])).toEqual([
      ['delete', 'c'],
      ['create', ''],
      ['update', 'd'],
      ['delete', 'b'],
      ['delete', 'a'],
    ])
  })
})
