import { expect, it } from 'vitest'
import { Email, instantOf } from './fields.ts'

it.each([
  ['2026-11-15', '2026-11-15T00:00:00.000Z'],
  ['2026-11-15T10:00', '2026-11-15T10:00:00.000Z'],
  ['2026-11-15 10:00:30', '2026-11-15T10:00:30.000Z'],
  ['2026-11-15T10:00:30.5', '2026-11-15T10:00:30.500Z'],
  ['2026-11-15T10:00Z', '2026-11-15T10:00:00.000Z'],
  ['2026-11-15T10:00+02:00', '2026-11-15T08:00:00.000Z'],
  ['2026-11-15T10:00-0330', '2026-11-15T13:30:00.000Z'],
])('the instant of %s is %s', (date, expected) => {
  expect(instantOf(date).toISOString()).toBe(expected)
})

it('takes no e-mail address whose name is longer than mail servers allow', () => {
  expect(Email.safeParse(`${'a'.repeat(64)}@example.com`).success).toBe(true)
  expect(Email.safeParse(`${'a'.repeat(65)}@example.com`).success).toBe(false)
})
