import { describe, expect, it } from 'vitest'
import { exampleMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import { emailChannel } from './email.ts'
import type { Mail } from './transport/smtp.ts'

async function mailsOf(message: AlertMessage, address = 'a@example.com'): Promise<Mail[]> {
  const parts = await emailChannel.render(message, { address }, exampleTools())
  return parts.map((part) => (part as { mail: Mail }).mail)
}

const references = ({ headers }: Mail) => headers?.References

describe('an email', () => {
  it('is sent to each address once, with its own id', async () => {
    const message = exampleMessage()
    const mails = await mailsOf(message, ' a@example.com,b@example.com , a@example.com,')
    expect(mails.map(({ to }) => to)).toEqual(['a@example.com', 'b@example.com'])
    const [first, second] = mails.map(({ messageId }) => messageId)
    expect(first).toMatch(/^11111111-1111-4111-8111-111111111111\.[\da-f]{24}@vedette\.test$/)
    expect(second).not.toBe(first)
    expect((await mailsOf(message))[0]?.messageId).toBe(first)
  })

  it('belongs to the thread of its episode', async () => {
    const [failure] = await mailsOf(exampleMessage({ id: 'one' }))
    const [reminder] = await mailsOf(exampleMessage({ id: 'two', isReminder: true }))
    const [recovery] = await mailsOf(exampleMessage({ id: 'three', kind: 'recovery' }))
    const [other] = await mailsOf(exampleMessage({ id: 'four', dedupKey: 'another' }))
    expect(references(failure!)).toMatch(/^<episode\.[\da-f]{24}@vedette\.test>$/)
    expect(references(reminder!)).toBe(references(failure!))
    expect(recovery?.headers).toMatchObject({
      'In-Reply-To': references(failure!),
      References: references(failure!),
    })
    expect(reminder?.headers?.['In-Reply-To']).toBe(references(failure!))
    expect(failure?.headers).not.toHaveProperty('In-Reply-To')
    expect(references(other!)).not.toBe(references(failure!))
  })

  it('has the reason first, then the facts, then the link', async () => {
    const [mail] = await mailsOf(exampleMessage())
    expect(mail?.subject).toBe('Check "Shop" has failed')
    expect(mail?.text).toBe(
      [
        'Check "Shop" has failed',
        'It has been failing from Ireland for 12 minutes: expected 200, got 503',
        '',
        'Check: Shop',
        'Type: API check',
        'Group: Web',
        'Location: Ireland',
        'Error: expected 200, got 503',
        'Status: 503 Service Unavailable',
        'Response time: 321 ms',
        'Since: 2026-01-01 00:00:00 UTC (12 minutes)',
        'Started: 2026-01-01 00:12:00 UTC',
        'Tags: prod, team:web',
        'Account: Acme',
        '',
        'Open the result: https://vedette.test/checks/1/results/2?a=1&b=2',
        '',
      ].join('\n'),
    )
    expect(mail?.html).toContain(
      '<p style="margin:0 0 16px">It has been failing from Ireland for 12 minutes: expected 200, got 503</p>',
    )
    expect(mail?.html).toContain('<a href="https://vedette.test/checks/1/results/2?a=1&amp;b=2"')
    expect(mail?.html).toContain('503 Service Unavailable</td>')
  })

  it('sets neither text nor background color, and links only web pages', async () => {
    const [mail] = await mailsOf(exampleMessage({ resultLink: 'javascript:alert(1)' }))
    expect(mail?.html).toContain('content="light dark"')
    expect(mail?.html).not.toMatch(/background|[^-]color:#(?!d92d20|8886)/)
    expect(mail?.html).not.toContain('href=')
  })

  it('is marked as a test', async () => {
    const [mail] = await mailsOf(exampleMessage({ isTest: true }))
    expect(mail?.subject).toBe('[Test] Check "Shop" has failed')
    expect(mail?.text).toContain('This is a test message')
    expect(mail?.html).toContain('This is a test message')
  })
})
