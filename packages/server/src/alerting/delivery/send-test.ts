// Sends a test message to a channel, once. Returns the outcome as data: a refusal is an expected result of a test.
import { randomUUID } from 'node:crypto'
import type { AlertChannel } from '../../storage/alerts/alert-channels.ts'
import { readAlertVariables } from '../../storage/alerts/alert-variables.ts'
import type { Db, Pool } from '../../storage/core/db.ts'
import { openLinks } from '../../storage/core/signed-links.ts'
import type { Vault } from '../../storage/core/vault.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { type TestedAlertType, testMessage } from '../message/test-message.ts'
import type { ChannelClients } from './channel-clients.ts'
import { sendParts } from './send-parts.ts'

export interface SendTest {
  db: Db
  pool: Pool
  vault: Vault
  clients: ChannelClients
  account: { id: string; name: string }
  channel: Pick<AlertChannel, 'id' | 'type' | 'config'>
  alertType: TestedAlertType
  now: number
  signal?: AbortSignal
}

export interface SentTest {
  status: 'SUCCESS' | 'FAILURE' | 'RATE_LIMITED'
  result: string
}

export async function sendTest(test: SendTest): Promise<SentTest> {
  const { db, pool, vault, clients, account, channel, alertType, now, signal } = test
  const { settings, senders, renderTemplate } = clients
  const known = await readAlertVariables(pool, vault, { accountId: account.id, groupId: null })
  const signing = { publicUrl: settings.publicUrl, sign: vault.sign, now }
  const linkTo = await openLinks(db, signing, account.id)
  try {
    const { result } = await sendParts({
      type: channel.type,
      message: testMessage({ id: randomUUID(), channelId: channel.id, alertType, account, linkTo, now }),
      config: channel.config,
      tools: { now, settings, ...known, renderTemplate },
      senders,
      accepted: new Set(),
      ...(signal && { signal }),
    })
    return { status: 'SUCCESS', result }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { status: error.rateLimited ? 'RATE_LIMITED' : 'FAILURE', result: error.message }
  }
}
