import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { channelRules, channelSettings } from './channel-settings.ts'

describe('channelSettings', () => {
  it('defaults to the public services, and links to this machine', () => {
    expect(channelSettings(readConfig({ PORT: '3456' }))).toEqual({
      publicUrl: 'http://localhost:3456',
      mailFrom: 'Vedette <alerts@localhost.local>',
      slackApiUrl: 'https://slack.com/api',
      slackBotToken: null,
      pagerdutyUrl: 'https://events.pagerduty.com',
      opsgenieUrl: 'https://api.opsgenie.com',
      opsgenieEuUrl: 'https://api.eu.opsgenie.com',
      twilio: null,
    })
  })

  it("uses the operator's settings", () => {
    const settings = channelSettings(
      readConfig({
        PUBLIC_URL: 'https://vedette.example.com/',
        SMTP_FROM: 'alerts@example.com',
        SLACK_API_URL: 'http://127.0.0.1:1/api/',
        SLACK_BOT_TOKEN: 'xoxb-1',
        TWILIO_URL: 'http://127.0.0.1:2',
        TWILIO_ACCOUNT_SID: 'AC1',
        TWILIO_AUTH_TOKEN: 'a token',
        TWILIO_FROM: '+4930123456',
      }),
    )
    expect(settings).toMatchObject({
      publicUrl: 'https://vedette.example.com',
      mailFrom: 'alerts@example.com',
      slackApiUrl: 'http://127.0.0.1:1/api',
      slackBotToken: 'xoxb-1',
      twilio: { apiUrl: 'http://127.0.0.1:2', accountSid: 'AC1', authToken: 'a token', from: '+4930123456' },
    })
  })

  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'a token', TWILIO_FROM: '+4930123456' }
  it.each(Object.keys(twilio))('has no Twilio without %s', (name) => {
    expect(channelSettings(readConfig({ ...twilio, [name]: '' })).twilio).toBeNull()
  })
})

describe('channelRules', () => {
  const refusal = (environment: NodeJS.ProcessEnv, address: string) =>
    networkPolicy(channelRules(readConfig(environment)), 'server').refusalOf(address)

  it('permit any address except metadata services', () => {
    expect(refusal({}, '10.1.2.3')).toBeNull()
    expect(refusal({}, '127.0.0.1')).toBeNull()
    expect(refusal({}, '169.254.169.254')).toBe('a link-local address')
  })

  it('restrict channels to the public network, with exceptions', () => {
    const environment = {
      CHANNEL_NETWORK: 'public',
      CHANNEL_ALLOW_NETWORKS: '10.1.0.0/16, fd00:1::/32,',
      CHANNEL_DENY_NETWORKS: '10.1.9.0/24,192.88.99.0/24',
    }
    expect(refusal(environment, '127.0.0.1')).toBe('a loopback address')
    expect(refusal(environment, '10.1.2.3')).toBeNull()
    expect(refusal(environment, 'fd00:1::1')).toBeNull()
    expect(refusal(environment, '10.2.2.3')).toBe('a private address')
    expect(refusal(environment, '10.1.9.3')).toBe('an address this server must not reach')
    expect(refusal(environment, '192.88.99.1')).toBe('an address this server must not reach')
  })
})
