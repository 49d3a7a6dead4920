import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import { Webhook } from '../../receivers/webhook.ts'
import type { Scene } from '../../scene.ts'
import { openWatchedShop } from './watched-shop.ts'

const path = '/checkout'
const secret = 'only the two of us know'
const template = `{
  "title": "{{ALERT_TITLE}}", "type": "{{ALERT_TYPE}}", "status": "{{API_CHECK_RESPONSE_STATUS_CODE}}",
  "over": {{#contains ALERT_TYPE "RECOVERY"}}true{{else}}false{{/contains}},
  "tags": [{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}], "link": "{{RESULT_LINK}}"
}`

/** It fails, keeps failing, recovers slowly, then fully; then it is slow once. */
export function everyChannel(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)
  const name = 'The "checkout" <&> of the café 🛒'
  const title = (what: string) => `Check "${name}" ${what}`
  const titles = {
    failure: title('has failed'),
    better: title('no longer fails, but is degraded'),
    degraded: title('is degraded'),
    recovery: title('has recovered'),
  }
  /** The messages of channels with and without alerts for degraded checks. */
  const all = [titles.failure, titles.better, titles.recovery, titles.degraded, titles.recovery]
  const failures = [titles.failure, titles.recovery]
  const serviceKey = '0123456789abcdef0123456789abcdef'
  const number = '+4915112345678'
  let webhook: Webhook
  let checkId = ''

  beforeAll(async () => {
    webhook = await Webhook.open({ secrets: { '/hook': secret } })
  })
  afterAll(() => webhook.receiver.shut())

  async function play(): Promise<void> {
    const url = webhook.receiver.url('/hook?a=1')
    const sendDegraded = true
    const talkative = [
      await shop.channel({
        type: 'EMAIL',
        config: { address: 'oncall@shop.test, boss@shop.test' },
        sendDegraded,
      }),
      await shop.channel({
        type: 'WEBHOOK',
        config: {
          url,
          template,
          webhookSecret: secret,
          headers: [{ key: 'x-team', value: 'web', locked: false }],
          queryParameters: [{ key: 'b', value: '2 & 3', locked: false }],
        },
        sendDegraded,
      }),
      await shop.channel({ type: 'PAGERDUTY', config: { serviceKey }, sendDegraded }),
      await shop.channel({ type: 'SLACK_APP', config: { slackChannels: ['#shop', '@dana'] }, sendDegraded }),
    ]
    const terse = [
      await shop.channel({ type: 'SLACK', config: { url: receivers.slack.webhook('every').url } }),
      await shop.channel({ type: 'SMS', config: { number } }),
      await shop.channel({ type: 'CALL', config: { number } }),
      await shop.channel({
        type: 'OPSGENIE',
        config: { apiKey: 'genie-every', region: 'EU', priority: 'P1' },
      }),
    ]
    const unasked = await shop.channel({
      type: 'EMAIL',
      config: { address: 'nobody@shop.test' },
      sendFailure: false,
      sendRecovery: true,
    })
    const tags = ['team:web', 'a "quoted" tag']
    checkId = await shop.check(path, [...talkative, ...terse, unasked], { name, tags })

    const { account } = scene
    await account.session(checkId)
    shop.breaks(path)
    for (let run = 0; run < 3; run++) await account.session(checkId)
    shop.slows(path)
    for (let run = 0; run < 2; run++) await account.session(checkId)
    shop.fix(path)
    for (let run = 0; run < 2; run++) await account.session(checkId)
    shop.slows(path)
    await account.session(checkId)
    shop.fix(path)
    await account.session(checkId)

    expect(await shop.alertTypes(checkId)).toEqual([
      'ALERT_FAILURE',
      'ALERT_FAILURE_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
    ])
    for (const channel of talkative) {
      const log = await shop.waitForMessages(channel, all.length)
      expect(log.map(({ status }) => status)).toEqual(all.map(() => 'SUCCESS'))
    }
    for (const channel of terse) expect(await shop.waitForMessages(channel, failures.length)).toHaveLength(2)
    expect(await shop.log(unasked)).toEqual([])
  }

  let played: Promise<void> | null = null
  /** Once, before the first test. */
  const isPlayed = () => {
    played ??= play()
    return played
  }

  it('every channel gets each message that it subscribes to once, in order', isPlayed)

  it('mail: to each address, as text and HTML, one thread for each failure', async () => {
    await isPlayed()
    for (const address of ['oncall@shop.test', 'boss@shop.test']) {
      const mails = receivers.mail.to(address)
      expect(mails.map(({ subject }) => subject)).toEqual(all)
      expect(mails[0]?.text).toContain('500')
      expect(mails[0]?.html).toContain('The &quot;checkout&quot; &lt;&amp;&gt; of the café 🛒')
      const [, link = ''] = /^Open the result: (\S+)$/m.exec(mails[0]?.text ?? '') ?? []
      const page = await fetch(link)
      expect(page.status).toBe(200)
      expect(await page.text()).toContain('Expected a status code below 400, but it was 500.')
      const [first, second, third, fourth, fifth] = mails.map(({ headers }) => headers.references)
      expect([second, third]).toEqual([first, first])
      expect(fifth).toBe(fourth)
      expect(fourth).not.toBe(first)
    }
    const ids = receivers.mail.mails.map(({ messageId }) => messageId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('webhook: signed, by its template, with its headers and parameters', async () => {
    await isPlayed()
    const messages = webhook.to('/hook')
    expect(messages.map(({ body }) => (body as { title: string }).title)).toEqual(all)
    expect(messages[0]).toMatchObject({ method: 'POST', query: { a: '1', b: '2 & 3' } })
    expect(messages[0]?.headers['x-team']).toBe('web')
    expect(messages.map(({ body }) => body)).toMatchObject([
      { type: 'ALERT_FAILURE', status: '500', over: false, tags: ['team:web', 'a "quoted" tag'] },
      { type: 'ALERT_FAILURE_DEGRADED', status: '200', over: false },
      { type: 'ALERT_DEGRADED_RECOVERY', status: '200', over: true },
      { type: 'ALERT_DEGRADED', status: '200', over: false },
      { type: 'ALERT_DEGRADED_RECOVERY', status: '200', over: true },
    ])
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
    expect(webhook.receiver.calls).toBe(messages.length)
    expect(webhook.receiver.faults).toEqual([])
  })

  it('PagerDuty: an incident is resolved under its key, and the next one has its own', async () => {
    await isPlayed()
    const events = receivers.pagerduty.of(serviceKey)
    expect(events.map(({ action, severity }) => [action, severity])).toEqual([
      ['trigger', 'critical'],
      ['trigger', 'warning'],
      ['resolve', 'info'],
      ['trigger', 'warning'],
      ['resolve', 'info'],
    ])
    expect(events.map(({ summary }) => summary)).toEqual(all)
    const [first, second, third, fourth, fifth] = events.map(({ dedupKey }) => dedupKey)
    expect([second, third, fifth]).toEqual([first, first, fourth])
    expect(fourth).not.toBe(first)
  })

  it('Slack: by webhook, and by the app in each channel', async () => {
    await isPlayed()
    const escaped = (text: string) =>
      `*${text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}*`
    const { channel } = receivers.slack.webhook('every')
    expect(receivers.slack.to(channel).map(({ text }) => text)).toEqual(failures.map(escaped))
    for (const one of ['#shop', '@dana']) {
      expect(receivers.slack.to(one).map(({ text }) => text)).toEqual(all.map(escaped))
    }
    const colors = receivers.slack.to('#shop').map(({ color }) => color)
    expect(new Set(colors.slice(0, 3)).size).toBe(3)
    expect(receivers.slack.to(channel)[0]?.words).toContain('500')
  })

  it('an SMS and a call, whose text is spoken twice', async () => {
    await isPlayed()
    const texts = receivers.twilio.to(number, 'Messages').map(({ texts: [text] }) => text ?? '')
    expect(texts.map((text) => text.split('\n')[0])).toEqual(failures)
    const calls = receivers.twilio.to(number, 'Calls')
    expect(calls).toHaveLength(2)
    for (const { texts: spoken } of calls) {
      expect(spoken).toHaveLength(2)
      expect(spoken[1]).toBe(spoken[0])
    }
    expect(calls[0]?.texts[0]).toContain('has failed')
    expect(calls[1]?.texts[0]).toContain('has recovered')
  })

  it('Opsgenie: closed by the same alias, in the configured region', async () => {
    await isPlayed()
    const requests = receivers.opsgenie.of('genie-every', 'EU')
    expect(requests.map(({ action, priority }) => [action, priority])).toEqual([
      ['create', 'P1'],
      ['close', null],
    ])
    expect(requests[1]?.alias).toBe(requests[0]?.alias)
    expect(requests[0]?.text).toBe(titles.failure)
    expect(receivers.opsgenie.of('genie-every', 'US')).toEqual([])
  })
}
