import { type ChannelType, channelDefinitions } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { ClaimedNotification } from '../../storage/alerts/notification-queue.ts'
import { messageOf } from '../message/message-of.ts'
import { linkLabel, reasonOf } from '../message/wording.ts'
import { exampleTools } from './channel.fixture.ts'
import type { Part } from './channel.ts'
import { channels } from './index.ts'

const leadCheckId = '33333333-3333-4333-8333-333333333333'
const openedAt = '2026-01-01T00:00:00.000Z'
const resolvedAt = '2026-01-01T00:12:00.000Z'

function notification(kind: 'unknown' | 'resumed'): ClaimedNotification {
  const isOver = kind === 'resumed'
  return {
    id: '11111111-1111-4111-8111-111111111111',
    accountId: '22222222-2222-4222-8222-222222222222',
    checkId: '66666666-6666-4666-8666-666666666666',
    checkType: 'API',
    channelId: 7,
    kind,
    isReminder: false,
    reminderSequence: 0,
    accepted: [],
    attempts: 1,
    isKnown: true,
    createdAt: openedAt,
    alert: {
      alertType: isOver ? 'ALERT_RECOVERY' : 'ALERT_FAILURE',
      name: '2 checks',
      location: 'office',
      ranAt: null,
      responseTimeMs: null,
      statusCode: null,
      error: null,
      resultId: null,
      startedAt: isOver ? resolvedAt : openedAt,
      episodeAt: openedAt,
      errorGroupId: null,
      facts: {
        accountName: 'Acme',
        description: null,
        groupId: null,
        groupName: null,
        tags: [],
        alarm: {
          cause: 'no_agent',
          locations: ['Office'],
          leadCheckId,
          checkCount: 2,
          checks: ['Checkout', 'Search'],
          openedAt,
          resolvedAt: isOver ? resolvedAt : null,
        },
      },
    },
    channel: null,
  }
}

const link = `https://vedette.test/r/check/${leadCheckId}`
const linkTo = (...parts: string[]) => `https://vedette.test/r/${parts.join('/')}`
const messages = {
  begin: messageOf(notification('unknown'), { linkTo, analysis: null }),
  resumed: messageOf(notification('resumed'), { linkTo, analysis: null }),
}

const expected = {
  begin: {
    title: "2 checks aren't running: Office has no connected agent",
    reason:
      'Their state is unknown. Start an agent for this location, or find out why it cannot reach the server.',
  },
  resumed: { title: '2 checks run again', reason: 'Their state is known again.' },
}

const opened = 'Open the check'
/** The label of the link. Null: the message has an unlabeled link, or none. */
const subjects = {
  EMAIL: { config: { address: 'a@example.com' }, begin: opened, resumed: opened },
  SLACK: { config: { url: 'https://hooks.test/T0' }, begin: opened, resumed: opened },
  SLACK_APP: { config: { slackChannels: ['#ops'] }, begin: opened, resumed: opened },
  WEBHOOK: { config: { url: 'https://hooks.test/a' }, begin: null, resumed: null },
  SMS: { config: { number: '+14155550100' }, begin: null, resumed: null },
  PAGERDUTY: { config: { serviceKey: 'ROUTING' }, begin: opened, resumed: opened },
  OPSGENIE: {
    config: { apiKey: 'GENIE', region: 'EU', priority: 'P2' },
    begin: 'Check page',
    resumed: null,
  },
  CALL: { config: { number: '+14155550100' }, begin: null, resumed: null },
} satisfies Record<ChannelType, { config: object; begin: string | null; resumed: string | null }>

/** Opsgenie's note that closes an alert and a phone call have no link. */
const withoutLink = ['OPSGENIE resumed', 'CALL begin', 'CALL resumed']

const rows = (Object.keys(channels) as ChannelType[]).flatMap((type) =>
  (['begin', 'resumed'] as const).map((moment) => ({ type, moment, label: subjects[type][moment] })),
)

describe('a message about checks whose state is unknown', () => {
  it.each(rows)('$type, $moment: has title, reason and label, and no empty field', async (row) => {
    const { type, moment, label } = row
    const texts = await render(type, subjects[type].config, moment)
    const whole = texts.join('\n')
    expect(whole).toContain(expected[moment].title)
    expect(whole).toContain(expected[moment].reason)
    if (!withoutLink.includes(`${type} ${moment}`)) expect(whole).toContain(link)
    if (label !== null) expect(whole).toContain(label)
    expect(whole).not.toMatch(/undefined|NaN|\[object|Open the result/)
    expect(texts.filter((text) => text.trim() === '')).toEqual([])
  })

  it.each(['WEBHOOK_MSTEAMS', 'WEBHOOK_TELEGRAM', 'WEBHOOK_ILERT', 'WEBHOOK_FIREHYDRANT'])(
    '%s labels the link',
    async (webhookType) => {
      for (const moment of ['begin', 'resumed'] as const) {
        const whole = (await render('WEBHOOK', { url: 'https://hooks.test/a', webhookType }, moment)).join(
          '\n',
        )
        expect(whole).toContain(expected[moment].title)
        expect(whole).toContain(expected[moment].reason)
        expect(whole).toContain(opened)
        expect(whole).not.toContain('Open the result')
      }
    },
  )

  it.each(['begin', 'resumed'] as const)('%s: is the same for every channel', (moment) => {
    const message = messages[moment]
    expect({ title: message.title, reason: reasonOf(message) }).toEqual(expected[moment])
    expect(linkLabel(message)).toBe('Open the check')
    expect(message.resultLink).toBe(link)
  })
})

/** All texts and field names of a message, with unescapeMarkup markup. */
async function render(type: ChannelType, config: object, moment: 'begin' | 'resumed'): Promise<string[]> {
  const parsed = channelDefinitions[type].config.parse(config)
  const parts = await channels[type].render(messages[moment], parsed as never, exampleTools())
  return parts.flatMap(textsOf).map(unescapeMarkup)
}

function textsOf(part: Part): string[] {
  if ('mail' in part) return [part.mail.subject, part.mail.text, part.mail.html]
  const { headers, body } = part.http
  if (body === null) return []
  return headers['content-type']?.includes('json')
    ? fieldsOf(JSON.parse(body))
    : [...new URLSearchParams(body).values()]
}

function fieldsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Array.isArray(value)
    ? value.flatMap(fieldsOf)
    : Object.entries(value).flatMap(([name, field]) => [name, ...fieldsOf(field)])
}

function unescapeMarkup(text: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] as string)
}
