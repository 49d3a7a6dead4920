import { testAlertChannel } from '@vedette/contracts'
import { sendTest } from '../../alerting/delivery/send-test.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import { findAlertChannel } from '../../storage/alerts/alert-channels.ts'
import { markChannelHealthy } from '../../storage/alerts/channel-health.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

/** The caller waits for the outcome. */
const timeoutMs = 30_000

export function alertChannelTestRoutes({ store, vault, clock, config, channels: clients }: Deps): Mounted[] {
  return [
    handle(testAlertChannel, async ({ account, params, body, signal }) => {
      const channel = orNotFound(await findAlertChannel(store.db, vault, account.id, params.id))
      const { name } = orNotFound(await findAccount(store.db, account.id))
      if (config.ALERTS === 'off' || clients === undefined) {
        return {
          status: 'FAILURE' as const,
          notificationResult:
            'The message was not sent, because alerts are turned off on this server (ALERTS=off).',
        }
      }
      const { status, result } = await sendTest({
        db: store.db,
        pool: store.pool,
        vault,
        clients,
        account: { id: account.id, name },
        channel,
        alertType: body.alertType,
        now: clock.now(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      if (status === 'SUCCESS' && channel.failing_since !== null)
        await markChannelHealthy(store.pool, channel.id)
      return { status, notificationResult: result }
    }),
  ]
}
