import { describe, expect, it } from 'vitest'
import { readLinkToken } from '../../links/subscription-link.ts'
import { openVault } from '../../storage/core/vault.ts'
import { renderChangeMail, renderIncidentUpdateMail, renderVerificationMail } from './subscriber-mail.ts'

const { sign } = openVault('a secret key for tests')
const context = { publicUrl: 'https://status.example.com/vedette', sign }
const id = '0d8f0a2e-3c63-4a53-9b0e-6f3f0d6c7a01'
const subscriptionId = '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11'

const facts = {
  subscriptionId,
  page: 'Shop',
  slug: 'shop',
  incidentId: '7a0e7e0a-52a3-4d57-8c7b-2f1d2c9b5e02',
  incident: 'Checkout is slow',
  severity: 'MAJOR',
  services: ['Checkout', 'Payments'],
  status: 'INVESTIGATING',
  description: 'We are looking into it.\nMore soon.',
  at: '2026-11-15T08:30:00+00:00',
}
const render = (changes: Partial<typeof facts> = {}) =>
  renderIncidentUpdateMail({ id, recipient: 'ada@example.com', facts: { ...facts, ...changes } }, context)
const linkIn = (text: string, purpose: string) =>
  new RegExp(`https://status\\.example\\.com/vedette/s/_/${purpose}/(\\S+?)(?=[\\s>"]|$)`).exec(text) ?? []

describe('the email about an incident update', () => {
  it('describes the incident as text and as HTML', () => {
    const mail = render()
    expect(mail.to).toBe('ada@example.com')
    expect(mail.subject).toBe('[Shop] Investigating: Checkout is slow')
    for (const text of [
      'Checkout is slow',
      'Investigating',
      'Major',
      'Checkout, Payments',
      '2026-11-15 08:30 UTC',
      'We are looking into it.\nMore soon.',
      'https://status.example.com/vedette/s/shop',
      'ada@example.com is subscribed to the status page Shop',
    ]) {
      expect(mail.text).toContain(text)
      expect(mail.html).toContain(text)
    }
  })

  it('has an unsubscribe link and headers with the same token', () => {
    const mail = render()
    const [url, token = ''] = linkIn(mail.text, 'unsubscribe')
    expect(readLinkToken(sign, 'unsubscribe', token)).toBe(subscriptionId)
    expect(mail.html).toContain(`href="${url}"`)
    expect(mail.headers).toMatchObject({
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  it('has the same message id in every attempt, and updates of an incident share a reference', () => {
    expect(render().messageId).toBe(`${id}@status.example.com`)
    expect(render({ status: 'RESOLVED' }).headers?.References).toBe(
      `<${facts.incidentId}@status.example.com>`,
    )
  })

  it('escapes hostile names, and lets none of them break a header', () => {
    const hostile = '<img src=x onerror="alert(1)">\r\nBcc: victim@example.com'
    const mail = render({ page: hostile, incident: hostile, services: [hostile], description: hostile })
    expect(mail.html).not.toContain('<img')
    expect(mail.html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;')
    expect(mail.subject).not.toMatch(/[\r\n]/)
    expect(mail.subject.length).toBeLessThanOrEqual(200)
    for (const value of Object.values(mail.headers ?? {})) expect(value).not.toMatch(/[\r\n]/)
  })
})

describe('the emails that ask to confirm', () => {
  const chosen = [
    { id: facts.incidentId, name: 'Checkout' },
    { id, name: 'Search <fast>' },
  ]
  const toRender = (more: object) => ({
    id,
    recipient: 'ada@example.com',
    facts: { subscriptionId, page: 'Shop', slug: 'shop', ...more },
  })

  it('have a link that verifies this subscription and does nothing else', () => {
    const mail = renderVerificationMail(toRender({}), context)
    expect(mail.subject).toBe('Confirm your subscription to Shop')
    expect(mail.text).toContain('Services: All')
    const [url, token = ''] = linkIn(mail.text, 'verify')
    expect(mail.html).toContain(`href="${url}"`)
    expect(url).toContain(`?mail=${id}`)
    const own = token.replace(/\?.*/, '')
    expect(readLinkToken(sign, 'verify', own)).toBe(subscriptionId)
    expect(readLinkToken(sign, 'unsubscribe', own)).toBeNull()
    expect(readLinkToken(openVault('another secret key').sign, 'verify', own)).toBeNull()
  })

  it('name the services, and a change opens the page of the subscription', () => {
    const mail = renderChangeMail(toRender({ chosen }), context)
    expect(mail.subject).toBe('Confirm the change of your subscription to Shop')
    expect(mail.text).toContain('Services: Checkout, Search <fast>')
    expect(mail.html).toContain('Search &lt;fast&gt;')
    const [url] = linkIn(mail.text, 'manage')
    expect(mail.html).toContain(`href="${url}"`)
    expect(url).toContain(`?mail=${id}`)
  })
})
