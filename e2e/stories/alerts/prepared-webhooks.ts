import { createVariable, testAlertChannel } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Webhook } from '../../receivers/webhook.ts'
import { readWebhookFormat, type WebhookType, webhookTypes } from '../../receivers/webhook-formats.ts'
import type { Scene } from '../../scene.ts'
import { openWatchedShop } from './watched-shop.ts'

export function preparedWebhooks(scene: Scene): void {
  const shop = openWatchedShop(scene)
  let webhook: Webhook
  beforeAll(async () => {
    webhook = await Webhook.open({
      check: (message) => void readWebhookFormat(message.path.slice(1) as WebhookType, message),
    })
  })
  afterAll(() => webhook.receiver.shut())

  it('each tool behind a prepared webhook gets failure and recovery in its own format', async () => {
    const { account } = scene
    await account.call(createVariable, { body: { key: 'HOOK_TOKEN', value: 'of-the-hook' } })
    const channels: number[] = []
    for (const webhookType of webhookTypes) {
      const url = webhook.receiver.url(`/${webhookType}?chat_id=1&token={{HOOK_TOKEN}}`)
      channels.push(await shop.channel({ type: 'WEBHOOK', config: { url, webhookType } }))
    }
    for (const id of channels) {
      const tested = await account.call(testAlertChannel, { params: { id }, body: {} })
      expect(tested).toMatchObject({ status: 'SUCCESS' })
    }
    const checkId = await shop.check('/prepared', channels, { name: 'Prepared' })
    shop.breaks('/prepared')
    await account.session(checkId)
    shop.fix('/prepared')
    await account.session(checkId)
    for (const channel of channels) await shop.waitForMessages(channel, 2)
    for (const webhookType of webhookTypes) {
      const messages = webhook.to(`/${webhookType}`)
      const [test, broke, over, ...more] = messages.map((message) => readWebhookFormat(webhookType, message))
      expect(more, webhookType).toEqual([])
      expect([test?.title, broke?.title, over?.title], webhookType).toEqual([
        '[Test] Check "Example check" has failed',
        'Check "Prepared" has failed',
        'Check "Prepared" has recovered',
      ])
      const isKnown = broke?.isOver !== null
      expect([broke?.isOver, over?.isOver], webhookType).toEqual(isKnown ? [false, true] : [null, null])
      expect(over?.key, webhookType).toBe(broke?.key)
      expect(messages.map(({ query }) => query.token)).toEqual(messages.map(() => 'of-the-hook'))
    }
    expect(webhook.receiver.faults).toEqual([])
  })
}
