// A separate shop for each kind of code check, and a webhook that receives its alerts.
import { createAlertChannel } from '@vedette/contracts'
import { afterAll, beforeAll } from 'vitest'
import { CodeAccount } from '../../code-account.ts'
import { Webhook } from '../../receivers/webhook.ts'
import type { Scene } from '../../scene.ts'
import { Shop } from '../../target/shop.ts'
import { until } from '../../until.ts'

export interface WatchedCode {
  readonly shop: Shop
  readonly code: CodeAccount
  /** Settings of a check that notifies the webhook. */
  readonly subscriptions: { alertChannelId: number; activated: boolean }[]
  /** The alert types of a check, when there are that many. */
  alertTypes(checkId: string, count: number): Promise<string[]>
}

const template = '{"checkId": "{{CHECK_ID}}", "type": "{{ALERT_TYPE}}"}'

/** Opened before the tests of a story and closed after them. */
export function watchCode(scene: Scene): WatchedCode {
  let shop: Shop
  let webhook: Webhook
  let alertChannelId: number
  beforeAll(async () => {
    shop = await Shop.open()
    webhook = await Webhook.open()
    const config = { url: webhook.receiver.url('/alerts'), template }
    const body = { type: 'WEBHOOK' as const, config, sendDegraded: true }
    alertChannelId = (await scene.account.call(createAlertChannel, { body })).id
  })
  afterAll(async () => {
    await shop.shut()
    await webhook.receiver.shut()
  })
  return {
    get shop() {
      return shop
    },
    get code() {
      return new CodeAccount(scene.account)
    },
    get subscriptions() {
      return [{ alertChannelId, activated: true }]
    },
    alertTypes: (checkId, count) =>
      until(`${count} alerts`, () => {
        const bodies = webhook.to('/alerts').map(({ body }) => body as { checkId: string; type: string })
        const types = bodies.filter((body) => body.checkId === checkId).map(({ type }) => type)
        return types.length >= count && types
      }),
  }
}

/** For tests of one story, which share a shop. */
export const inTurn = { concurrent: false }
