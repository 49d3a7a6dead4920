import { describe, expect, it } from 'vitest'
import { exampleMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import { pagerdutyChannel } from './pagerduty.ts'
import type { HttpCall } from './transport/http.ts'

async function eventOf(message: AlertMessage) {
  const config = { account: '', serviceName: '', serviceKey: 'R0UTING' }
  const [part] = await pagerdutyChannel.render(message, config, exampleTools())
  const { url, method, body } = (part as { http: HttpCall }).http
  expect([method, url]).toEqual(['POST', 'https://pagerduty.test/v2/enqueue'])
  return JSON.parse(body as string)
}

describe('PAGERDUTY', () => {
  it('opens an alert with the facts', async () => {
    const event = await eventOf(exampleMessage())
    expect(event).toMatchObject({
      routing_key: 'R0UTING',
      event_action: 'trigger',
      dedup_key: 'vedette-check-1-1767225600000',
      links: [{ href: 'https://vedette.test/checks/1/results/2?a=1&b=2', text: 'Open the result' }],
      payload: {
        summary: 'Check "Shop" has failed',
        source: 'Shop',
        severity: 'critical',
        timestamp: '2026-01-01T00:12:00.000Z',
        component: 'API',
        group: 'Web',
        class: 'ALERT_FAILURE',
      },
    })
    expect(event.payload.custom_details).toMatchObject({
      RUN_LOCATION: 'Ireland',
      TAGS: ['prod', 'team:web'],
    })
  })

  it.each([
    ['recovery' as const, 'resolve', 'info'],
    ['degraded' as const, 'trigger', 'warning'],
    ['ssl' as const, 'trigger', 'warning'],
    ['failure' as const, 'trigger', 'critical'],
  ])('of %s: %s, %s', async (kind, action, severity) => {
    const event = await eventOf(
      exampleMessage({ kind, ssl: kind === 'ssl' ? { daysRemaining: 1, domain: 'a.test' } : null }),
    )
    expect([event.event_action, event.payload.severity]).toEqual([action, severity])
    expect(event.dedup_key).toBe('vedette-check-1-1767225600000')
  })

  it('respects the limits of the API', async () => {
    const { payload } = await eventOf(
      exampleMessage({ title: 't'.repeat(5000), checkName: '', error: 'e'.repeat(20_000) }),
    )
    expect(payload.summary).toHaveLength(1024)
    expect(payload.source).toBe('33333333-3333-4333-8333-333333333333')
    expect(payload.custom_details.CHECK_ERROR_MESSAGE).toHaveLength(8000)
  })
})
