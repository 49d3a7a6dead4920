import { describe, expect, it } from 'vitest'
import { nameUuid, scheduledRunId, sessionRunId } from './run-id.ts'

const check = '7d8f3b7e-52c1-4a57-9b38-8d4f5a3c2e10'
const session = '0b8a3a52-9c0e-4b0a-8f5d-3d1f6c2b7a11'
const at = Date.UTC(2026, 10, 15)

describe('a run id', () => {
  it('is a version 5 UUID of RFC 9562', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
    expect(nameUuid(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
    expect(scheduledRunId(check, at, 'eu-west-1')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  it('is the same in every release', () => {
    expect(scheduledRunId(check, at, 'eu-west-1')).toBe('a00d20bd-6241-574f-8e4b-7d4bf6267a7c')
    expect(sessionRunId(session, check, 'office')).toBe('cf54a676-201a-55f7-93b1-9728cf62517b')
  })

  it('differs by check, instant, location and session', () => {
    const ids = [
      scheduledRunId(check, at, 'eu-west-1'),
      scheduledRunId(session, at, 'eu-west-1'),
      scheduledRunId(check, at + 1, 'eu-west-1'),
      scheduledRunId(check, at, 'eu-west-2'),
      sessionRunId(session, check, 'eu-west-1'),
      sessionRunId(check, session, 'eu-west-1'),
      sessionRunId(session, check, 'eu-west-2'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('requires an instant in whole milliseconds', () => {
    expect(() => scheduledRunId(check, Number.NaN, 'eu-west-1')).toThrow(/not an instant/)
    expect(() => scheduledRunId(check, 0.5, 'eu-west-1')).toThrow(/not an instant/)
  })
})
