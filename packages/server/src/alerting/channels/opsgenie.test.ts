import { describe, expect, it } from 'vitest'
import { exampleMessage, hostileMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import type { ConfigOf } from './channel.ts'
import { opsgenieChannel } from './opsgenie.ts'
import type { HttpCall } from './transport/http.ts'

async function callOf(message: AlertMessage, region: ConfigOf<'OPSGENIE'>['region'] = 'US') {
  const config = { name: '', apiKey: 'genie', region, priority: 'P2' as const }
  const [part] = await opsgenieChannel.render(message, config, exampleTools())
  const { key, http } = part as { key: string; http: HttpCall }
  expect(http.headers.authorization).toBe('GenieKey genie')
  return { key, url: http.url, body: JSON.parse(http.body as string) }
}

const response = (status: number) => ({ status, headers: {}, body: '' })

describe('OPSGENIE', () => {
  it('creates an alert under the alias of the episode', async () => {
    const { key, url, body } = await callOf(exampleMessage())
    expect([key, url]).toEqual(['create', 'https://opsgenie.test/v2/alerts'])
    expect(body).toMatchObject({
      alias: 'vedette-check-1-1767225600000',
      message: 'Check "Shop" has failed',
      priority: 'P2',
      tags: ['prod', 'team:web'],
    })
    expect(body.details).toMatchObject({ Location: 'Ireland', 'Alert type': 'ALERT_FAILURE' })
  })

  it('closes it by its alias, in the configured region', async () => {
    const { key, url } = await callOf(exampleMessage({ kind: 'recovery', dedupKey: 'a/b?' }), 'EU')
    expect([key, url]).toEqual([
      'close',
      'https://eu.opsgenie.test/v2/alerts/a%2Fb%3F/close?identifierType=alias',
    ])
  })

  it('respects the limits of the API', async () => {
    const { body } = await callOf({
      ...hostileMessage,
      title: 't'.repeat(500),
      tags: Array(40).fill('x'.repeat(90)),
    })
    expect(body.message).toHaveLength(130)
    expect(body.description.length).toBeLessThanOrEqual(15_000)
    expect(body.tags).toHaveLength(20)
    expect(body.tags[0]).toHaveLength(50)
    expect(JSON.stringify(body.details).length).toBeLessThan(8000)
  })

  it.each([
    ['create', 202, null],
    ['close', 202, null],
    ['close', 404, null],
    ['create', 404, { permanent: true }],
    ['create', 422, { permanent: true }],
    ['close', 401, { permanent: true }],
    ['create', 403, { permanent: true }],
    ['create', 429, { permanent: false, rateLimited: true }],
    ['close', 500, { permanent: false }],
  ])('judges the response to %s: %d', (key, status, expected) => {
    const judged = opsgenieChannel.judge?.(response(status), key)
    if (expected === null) expect(judged).toBeNull()
    else expect(judged).toMatchObject(expected)
  })
})
