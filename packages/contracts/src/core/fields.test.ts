import { expect, it } from 'vitest'
import { DateInput, Email, ignoredField, instantOf } from './fields.ts'

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

it('refuses an email address whose local part is longer than mail servers allow', () => {
  expect(Email.safeParse(`${'a'.repeat(64)}@example.com`).success).toBe(true)
  expect(Email.safeParse(`${'a'.repeat(65)}@example.com`).success).toBe(false)
})

it.each([
  ['2026-04-30', true],
  ['2026-04-31', false],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-12-31T23:59:59.999Z', true],
])('whether %s is a date: %s', (date, isDate) => {
  expect(DateInput.safeParse(date).success).toBe(isDate)
})

it.each([
  [{ type: 'string', format: 'uuid' }, '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11', 'x'],
  [{ type: 'string', format: 'date-time', nullable: true }, '2026-11-15T10:00:00.000Z', '2026-13-45'],
  [{ type: 'string', format: 'date-time', nullable: true }, null, 1],
  [{ type: 'string', enum: ['OPEN', 'CLOSED'] }, 'OPEN', 'open'],
])('ignores a value that fits %j, and refuses another', (schema, fitting, other) => {
  expect(ignoredField(schema).safeParse(fitting)).toEqual({ success: true, data: undefined })
  expect(ignoredField(schema).safeParse(other).success).toBe(false)
})
