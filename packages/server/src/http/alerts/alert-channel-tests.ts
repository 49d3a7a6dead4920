import { previewAlertChannel, testAlertChannel, testAlertChannelDraft } from '@vedette/contracts'
import { previewTest, type SendTest, sendTest } from '../../alerting/delivery/send-test.ts'
import { openDraft } from '../../alerts/change-channels.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import { findAlertChannel } from '../../storage/alerts/alert-channels.ts'
import { markChannelHealthy } from '../../storage/alerts/channel-health.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

/** The caller waits for the outcome. */
const timeoutMs = 30_000

const turnedOff = {
  status: 'FAILURE' as const,
  notificationResult: 'The message was not sent, because alerts are turned off on this server (ALERTS=off).',
}

export function alertChannelTestRoutes({ store, vault, clock, config, channels: clients }: Deps): Mounted[] {
  /** Null: this server sends nothing. */
  const testOf = async (
    accountId: string,
    test: Pick<SendTest, 'channel' | 'alertType'>,
    signal: AbortSignal,
  ): Promise<SendTest | null> => {
    const { name } = orNotFound(await findAccount(store.db, accountId))
    if (config.ALERTS === 'off' || clients === undefined) return null
    return {
      ...test,
      db: store.db,
      pool: store.pool,
      vault,
      clients,
      account: { id: accountId, name },
      now: clock.now(),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }
  }
  return [
    handle(testAlertChannel, async ({ account, params, body, signal }) => {
      const channel = orNotFound(await findAlertChannel(store.db, vault, account.id, params.id))
      const test = await testOf(account.id, { channel, alertType: body.alertType }, signal)
      if (test === null) return turnedOff
      const { status, result } = await sendTest(test)
      if (status === 'SUCCESS' && channel.failing_since !== null)
        await markChannelHealthy(store.pool, channel.id)
      return { status, notificationResult: result }
    }),
    handle(testAlertChannelDraft, async ({ account, body, signal }) => {
      const context = { accountId: account.id, vault }
      const channel = await openDraft(store.db, context, body.channel, body.alertChannelId)
      const test = await testOf(account.id, { channel, alertType: body.alertType }, signal)
      if (test === null) return turnedOff
      const { status, result } = await sendTest(test)
      return { status, notificationResult: result }
    }),
    handle(previewAlertChannel, async ({ account, body, signal }) => {
      const context = { accountId: account.id, vault }
      const channel = await openDraft(store.db, context, body.channel, body.alertChannelId)
      const test = await testOf(account.id, { channel, alertType: body.alertType }, signal)
      if (test === null)
        return { messages: [], problem: 'Alerts are turned off on this server (ALERTS=off).' }
      return previewTest(test)
    }),
  ]
}
