import { describe, expect, it } from 'vitest'
import { type AuditEntry, actionInWords, addressOf, diffLines } from './audit-words.ts'

const entry = (values: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id: '1', created_at: '2026-11-16T12:00:00.000Z', source: 'app', address: null, requestId: 'r' },
  actor: { kind: 'user', id: '2', name: 'Ann' },
  ...{ operation: 'PUT /v1/checks/url/{id}', summary: 'Update a URL monitor', action: 'update' },
  ...{ outcome: 'done', resource: { kind: 'Checks', id: 'c1', name: 'Shop' }, changes: [] },
  ...values,
})

describe('an entry of the audit log', () => {
  it.each<[Partial<AuditEntry>, string]>([
    [{}, 'changed the check'],
    [{ action: 'create' }, 'created the check'],
    [{ operation: 'POST /v1/sign-in', action: 'other' }, 'signed in'],
    [{ operation: 'POST /v1/sign-in', outcome: 'refused' }, 'tried to sign in with a wrong password'],
    [{ outcome: 'refused' }, 'was refused: update a URL monitor'],
    [{ operation: 'PATCH /v1/accounts/me/members/{userId}' }, 'changed the role of'],
    [
      { operation: 'POST /v1/x', action: 'other', summary: 'Send a test message' },
      'used “send a test message”',
    ],
    [{ resource: { kind: 'New things', id: '1', name: null } }, 'changed the new things'],
  ])('%j: %s', (values, words) => expect(actionInWords(entry(values))).toBe(words))

  it('leads to what still exists', () => {
    expect(addressOf(entry())).toBe('/checks/c1')
    expect(addressOf(entry({ action: 'delete' }))).toBeNull()
    const variable = { kind: 'Environment variables', id: 'A B', name: 'A B' }
    expect(addressOf(entry({ resource: variable }))).toBe('/settings/variables/A%20B')
  })
})

describe('a difference', () => {
  it('of texts has the lines around it', () => {
    expect(diffLines('a\nb\nc\nd\ne', 'a\nb\nc\nx\ne').map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'b'],
      ['same', 'c'],
      ['removed', 'd'],
      ['added', 'x'],
      ['same', 'e'],
    ])
  })

  it.each([
    [null, true, [['added', 'true']]],
    [['a'], null, [['removed', '["a"]']]],
    [
      '',
      'x',
      [
        ['removed', '(empty)'],
        ['added', 'x'],
      ],
    ],
  ])('of %j and %j', (before, after, expected) =>
    expect(diffLines(before, after).map(({ kind, text }) => [kind, text])).toEqual(expected),
  )
})
