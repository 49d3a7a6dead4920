import { describe, expect, it } from 'vitest'
import { exampleMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { callChannel } from './call.ts'
import { exampleTools } from './channel.fixture.ts'
import { smsChannel } from './sms.ts'
import type { HttpCall } from './transport/http.ts'

const config = { name: '', number: '+14155550100' }

async function formOf(channel: typeof smsChannel, message: AlertMessage) {
  const [part] = await channel.render(message, config, exampleTools())
  const { method, url, headers, body } = (part as { http: HttpCall }).http
  expect(method).toBe('POST')
  expect(headers.authorization).toBe(`Basic ${btoa('AC0123:token-of-the-operator')}`)
  return { url, form: Object.fromEntries(new URLSearchParams(body as string)) }
}

describe('SMS', () => {
  it('has title, reason and link', async () => {
    const { url, form } = await formOf(smsChannel, exampleMessage())
    expect(url).toBe('https://twilio.test/2010-04-01/Accounts/AC0123/Messages.json')
    expect(form).toEqual({
      From: '+14155550199',
      To: '+14155550100',
      Body: [
        'Check "Shop" has failed',
        'It has been failing from Ireland for 12 minutes: expected 200, got 503',
        'https://vedette.test/checks/1/results/2?a=1&b=2',
      ].join('\n'),
    })
  })

  it('has at most 320 characters, with a complete link or none', async () => {
    const long = { checkName: 'n'.repeat(500), error: 'e'.repeat(5000) }
    const { form } = await formOf(smsChannel, exampleMessage(long))
    expect(form.Body?.length).toBe(320)
    expect(form.Body).toMatch(/\nhttps:\/\/vedette\.test\/checks\/1\/results\/2\?a=1&b=2$/)
    const tooLong = await formOf(
      smsChannel,
      exampleMessage({ ...long, resultLink: `https://a.test/${'x'.repeat(300)}` }),
    )
    expect(tooLong.form.Body?.length).toBe(320)
    expect(tooLong.form.Body).not.toContain('https')
  })
})

describe('CALL', () => {
  it('reads the alert aloud twice', async () => {
    const { url, form } = await formOf(callChannel, exampleMessage({ checkName: 'R&D <1>' }))
    expect(url).toBe('https://twilio.test/2010-04-01/Accounts/AC0123/Calls.json')
    expect([form.From, form.To]).toEqual(['+14155550199', '+14155550100'])
    const say =
      '<Say>Vedette. Check &quot;R&amp;D &lt;1&gt;&quot; has failed. It has been failing from Ireland for 12 minutes: expected 200, got 503</Say>'
    expect(form.Twiml).toBe(
      `<?xml version="1.0" encoding="UTF-8"?><Response>${say}<Pause length="1"/>${say}</Response>`,
    )
  })

  it('respects the limits of the API', async () => {
    const { form } = await formOf(
      callChannel,
      exampleMessage({ checkName: '"'.repeat(500), error: '"'.repeat(5000) }),
    )
    expect(form.Twiml?.length).toBeLessThanOrEqual(4000)
  })
})

describe.each([smsChannel, callChannel])('without a Twilio account', (channel) => {
  it('names the settings for the operator', () => {
    const { settings } = exampleTools()
    const render = () =>
      channel.render(exampleMessage(), config, exampleTools({ settings: { ...settings, twilio: null } }))
    expect(render).toThrow(/TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM/)
  })
})
