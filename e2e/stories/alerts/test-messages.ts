import { type AlertType, testAlertChannel } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import { Webhook } from '../../receivers/webhook.ts'
import type { Scene } from '../../scene.ts'
import { type ChannelBody, openWatchedShop } from './watched-shop.ts'

export function testMessages(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)
  let webhook: Webhook
  beforeAll(async () => {
    webhook = await Webhook.open({ secrets: { '/test': 'tested' } })
  })
  afterAll(() => webhook.receiver.shut())

  const test = (id: number, alertType: Exclude<AlertType, 'NO_ALERT'>) =>
    scene.account.call(testAlertChannel, { params: { id }, body: { alertType } })

  it('a test message passes through every type of channel, and is not logged', async () => {
    const { mail, slack, twilio, pagerduty, opsgenie } = receivers
    const number = '+33612345678'
    const serviceKey = 'abcdefabcdefabcdefabcdefabcdefab'
    const url = webhook.receiver.url('/test')
    const expectations: [ChannelBody, () => (string | undefined)[]][] = [
      [
        { type: 'EMAIL', config: { address: 'test@shop.test' } },
        () => mail.to('test@shop.test').map(({ subject }) => subject),
      ],
      [
        { type: 'SLACK', config: { url: slack.webhook('test').url } },
        () => slack.to(slack.webhook('test').channel).map(({ text }) => text),
      ],
      [
        { type: 'SLACK_APP', config: { slackChannels: ['#test'] } },
        () => slack.to('#test').map(({ text }) => text),
      ],
      [
        { type: 'WEBHOOK', config: { url, webhookSecret: 'tested' } },
        () => webhook.to('/test').map(({ text }) => text),
      ],
      [{ type: 'SMS', config: { number } }, () => twilio.to(number, 'Messages').map(({ texts }) => texts[0])],
      [{ type: 'CALL', config: { number } }, () => twilio.to(number, 'Calls').map(({ texts }) => texts[0])],
      [
        { type: 'PAGERDUTY', config: { serviceKey } },
        () => pagerduty.of(serviceKey).map(({ action, summary }) => `${action} ${summary}`),
      ],
      [
        { type: 'OPSGENIE', config: { apiKey: 'genie-test' } },
        () => opsgenie.of('genie-test').map(({ action, text }) => `${action} ${text}`),
      ],
    ]
    for (const [body, received] of expectations) {
      const id = await shop.channel(body)
      expect(await test(id, 'ALERT_FAILURE'), body.type).toMatchObject({ status: 'SUCCESS' })
      expect(await test(id, 'ALERT_RECOVERY'), body.type).toMatchObject({ status: 'SUCCESS' })
      expect(received(), body.type).toEqual([
        expect.stringMatching(/\[Test\].*has failed/s),
        expect.stringMatching(/\[Test\].*has recovered/s),
      ])
      expect(await shop.log(id), body.type).toEqual([])
    }
  })

  it('reports that a channel refuses the test message', async () => {
    const { url, channel } = receivers.slack.webhook('untestable')
    receivers.slack.receiver.misbehave(channel, { status: 403, body: 'action_prohibited' })
    const id = await shop.channel({ type: 'SLACK', config: { url } })
    const refused = await test(id, 'ALERT_FAILURE')
    expect(refused).toMatchObject({ status: 'FAILURE' })
    expect(refused.notificationResult).toMatch(/403.*action_prohibited/)
  })
}
