import { getAlertChannel, replaceAlertChannel, triggerCheckSessions } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import { Webhook } from '../../receivers/webhook.ts'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'
import { openWatchedShop } from './watched-shop.ts'

export function troubledChannels(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)
  let webhook: Webhook
  beforeAll(async () => {
    webhook = await Webhook.open()
  })
  afterAll(() => webhook.receiver.shut())

  const health = async (id: number) => (await scene.account.call(getAlertChannel, { params: { id } })).health

  /** Recorded shortly after the message. */
  const becomes = (id: number, status: string) =>
    until(`channel ${id} to be ${status}`, async () => {
      const found = await health(id)
      return found?.status === status && found
    })

  it('a channel that refuses is shown, affects no other channel, and recovers when it is fixed', async () => {
    const { account } = scene
    const { slack, mail } = receivers
    const { url, channel } = slack.webhook('refusing')
    slack.receiver.misbehave(channel, { status: 404, body: 'no_service' })
    mail.behaviors.set('gone@shop.test', 550)
    const refusing = await shop.channel({ type: 'SLACK', config: { url } })
    const halfGone = await shop.channel({
      type: 'EMAIL',
      config: { address: 'gone@shop.test, here@shop.test' },
    })
    const well = await shop.channel({ type: 'WEBHOOK', config: { url: webhook.receiver.url('/well') } })
    expect(await health(refusing)).toEqual({ status: 'OK', since: null, error: null })
    const checkId = await shop.check('/refused', [refusing, halfGone, well])
    shop.breaks('/refused')
    await account.session(checkId)

    expect(await shop.waitForMessages(well, 1)).toMatchObject([
      { status: 'SUCCESS', checkId, type: 'WEBHOOK' },
    ])
    const [refused] = await shop.waitForMessages(refusing, 1)
    expect(refused).toMatchObject({ status: 'FAILURE', checkId, type: 'SLACK', alertChannelId: refusing })
    expect(refused?.notificationResult).toMatch(/404.*no_service/)
    expect(JSON.stringify(refused)).not.toContain(channel)
    expect((await becomes(refusing, 'REFUSING')).error).toContain('no_service')
    const [half] = await shop.waitForMessages(halfGone, 1)
    expect(half).toMatchObject({ status: 'FAILURE' })
    expect(half?.notificationResult).toContain('No such user here')
    expect(mail.to('here@shop.test')).toHaveLength(1)
    await becomes(halfGone, 'REFUSING')
    expect(await health(well)).toMatchObject({ status: 'OK' })

    const fixed = slack.webhook('fixed')
    await account.call(replaceAlertChannel, {
      params: { id: refusing },
      body: { type: 'SLACK', config: { url: fixed.url } },
    })
    shop.fix('/refused')
    await account.session(checkId)
    await shop.waitForMessages(well, 2)
    shop.breaks('/refused')
    await account.session(checkId)
    await until('the fixed channel to get the message', () =>
      slack.to(fixed.channel).at(-1)?.text.includes('has failed'),
    )
    await becomes(refusing, 'OK')
    expect(slack.to(channel)).toEqual([])
  })

  it('a channel with temporary errors is retried with backoff, and gets each message once and in order', {
    tags: ['story'],
  }, async () => {
    const { account } = scene
    const { slack } = receivers
    const { url, channel: slackChannel } = slack.webhook('stumbling')
    slack.receiver.misbehave(
      slackChannel,
      { status: 429, body: 'rate_limited', headers: { 'retry-after': '6' } },
      { status: 500, body: 'oops' },
      'well',
    )
    const channel = await shop.channel({ type: 'SLACK', config: { url } })
    const checkId = await shop.check('/stumbled', [channel])
    shop.breaks('/stumbled')
    await account.session(checkId)
    shop.fix('/stumbled')
    await account.session(checkId)
    await until('the pause to be shown', async () => (await shop.log(channel))[0]?.status === 'RATE_LIMITED')
    await becomes(channel, 'FAILING')
    expect((await shop.waitForMessages(channel, 2, 60_000)).map(({ status }) => status)).toEqual([
      'SUCCESS',
      'SUCCESS',
    ])
    expect(slack.to(slackChannel).map(({ text }) => text)).toEqual([
      expect.stringContaining('has failed'),
      expect.stringContaining('has recovered'),
    ])
    await becomes(channel, 'OK')
  })

  it('a channel that hangs does not delay others, even with many messages', async () => {
    const { account } = scene
    webhook.receiver.misbehave('/dead', 'hold')
    const dead = await shop.channel({ type: 'WEBHOOK', config: { url: webhook.receiver.url('/dead') } })
    const alive = await shop.channel({ type: 'WEBHOOK', config: { url: webhook.receiver.url('/alive') } })
    const mailed = await shop.channel({ type: 'EMAIL', config: { address: 'alive@shop.test' } })
    const paths = Array.from({ length: 30 }, (_, index) => `/many/${index}`)
    for (const path of paths) {
      shop.breaks(path)
      await shop.check(path, [dead, alive, mailed], { tags: ['many'] })
    }
    const target = { matchTags: [['many']] }
    const { sessions } = await account.call(triggerCheckSessions, { body: { target } })
    expect(sessions).toHaveLength(paths.length)
    for (const { checkSessionId } of sessions) await account.awaitSession(checkSessionId)
    // Within this time, no call to the hanging channel times out.
    await until('all others to be notified', () => webhook.to('/alive').length >= paths.length, 12_000)
    await until('all mails', () => receivers.mail.to('alive@shop.test').length >= paths.length, 12_000)
    expect(webhook.receiver.held.length).toBeGreaterThan(0)
    expect(webhook.to('/dead')).toEqual([])
    const open = await shop.log(dead)
    expect(open.map(({ status }) => status)).toEqual(paths.map(() => 'IN_PROGRESS'))
    for (const one of [alive, mailed])
      expect(await shop.waitForMessages(one, paths.length)).toHaveLength(paths.length)
  })
}
