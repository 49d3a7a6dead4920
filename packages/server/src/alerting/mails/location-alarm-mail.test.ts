import { describe, expect, it } from 'vitest'
import type { LocationAlarmFacts } from '../../storage/alerts/location-alarms.ts'
import { renderLocationAlarmMail } from './location-alarm-mail.ts'

const facts: LocationAlarmFacts = {
  alarmId: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11',
  kind: 'no_agent',
  location: 'office',
  locationName: 'Office',
  isPrivate: true,
  account: 'Example & Co',
  checkCount: 12,
  checks: ['Checkout', 'Search <fast>'],
  openedAt: '2026-11-15T08:00:00.000Z',
  resolvedAt: null,
  end: null,
}
const context = { publicUrl: 'https://vedette.example.com', sign: (text: string) => text }
const render = (change: Partial<LocationAlarmFacts> = {}) =>
  renderLocationAlarmMail(
    { id: 'f1', recipient: 'dana@example.com', facts: { ...facts, ...change } },
    context,
  )
const over = { resolvedAt: '2026-11-15T10:05:00.000Z', end: 'served' } as const

describe('the mail of a location alarm', () => {
  it('names the location, the number of checks, the checks and the remedy', () => {
    const mail = render()
    expect(mail.to).toBe('dana@example.com')
    expect(mail.subject).toBe("12 checks aren't running in Office (office): no agent is connected")
    expect(mail.text).toContain('- Checkout\n- Search <fast>\nand 10 more')
    expect(mail.text).toContain('Start an agent with a key of this private location')
    expect(mail.text).toContain('Since: 2026-11-15 08:00:00 UTC')
    expect(mail.text).toContain('dana@example.com is an owner or admin of Example & Co')
    expect(mail.html).toContain('Search &lt;fast&gt;')
    expect(mail.html).not.toContain('<fast>')
    expect(mail.messageId).toBe('f1@vedette.example.com')
  })

  it.each<[string, Partial<LocationAlarmFacts>, string]>([
    ['one check', { checkCount: 1 }, "1 check isn't running in Office (office): no agent is connected"],
    [
      'a data center',
      { location: 'eu-west-1', locationName: 'Ireland', isPrivate: false, checkCount: 2 },
      "2 checks aren't running in Ireland (eu-west-1): no agent is connected",
    ],
    [
      'a name that is the slug',
      { locationName: 'office' },
      "12 checks aren't running in office: no agent is connected",
    ],
    [
      'overdue runs',
      { kind: 'overdue' },
      "12 checks aren't running in Office (office) although an agent is connected",
    ],
    [
      'a type that no agent runs',
      { kind: 'overdue', unservedTypes: ['BROWSER'] },
      "12 checks aren't running in Office (office): no agent there runs BROWSER checks",
    ],
    [
      'types that no agent runs',
      { kind: 'overdue', unservedTypes: ['AGENTIC', 'BROWSER', 'MULTI_STEP'] },
      "12 checks aren't running in Office (office): no agent there runs AGENTIC, BROWSER or MULTI_STEP checks",
    ],
    ['an agent that is back', over, 'Resolved: An agent is connected in Office (office) again'],
    [
      'runs that are caught up',
      { ...over, kind: 'overdue' },
      'Resolved: No runs are overdue in Office (office) anymore',
    ],
    [
      'a location without checks',
      { ...over, end: 'unassigned' },
      'Resolved: No checks are assigned to Office (office) anymore',
    ],
    [
      'a name with a header injection',
      { locationName: 'A\r\nBcc: all@example.com', checkCount: 1 },
      "1 check isn't running in A Bcc: all@example.com (office): no agent is connected",
    ],
  ])('has a subject of its own for %s', (_, change, subject) => {
    expect(render(change).subject).toBe(subject)
  })

  it('shares a thread with the resolving email, which has the duration', () => {
    const end = render(over)
    expect(end.headers?.References).toBe('<5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11@vedette.example.com>')
    expect(end.headers?.References).toBe(render().headers?.References)
    expect(end.text).toContain('Lasted: 2 hours 5 minutes')
    expect(end.text).not.toContain('Checkout')
  })
})
