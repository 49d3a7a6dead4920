// Sends a test message to a channel, once. Returns the outcome as data: a refusal is an expected result of a test.
import { randomUUID } from 'node:crypto'
import type { AlertChannel } from '../../storage/alerts/alert-channels.ts'
import { readAlertVariables } from '../../storage/alerts/alert-variables.ts'
import type { Db, Pool } from '../../storage/core/db.ts'
import { openLinks } from '../../storage/core/signed-links.ts'
import type { Vault } from '../../storage/core/vault.ts'
import type { Part } from '../channels/channel.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { type TestedAlertType, testMessage } from '../message/test-message.ts'
import type { ChannelClients } from './channel-clients.ts'
import { renderParts, sendParts } from './send-parts.ts'

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
  const { clients, channel, signal } = test
  try {
    const { result } = await sendParts({
      ...(await prepareTest(test)),
      type: channel.type,
      config: channel.config,
      senders: clients.senders,
      accepted: new Set(),
      ...(signal && { signal }),
    })
    return { status: 'SUCCESS', result }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { status: error.rateLimited ? 'RATE_LIMITED' : 'FAILURE', result: error.message }
  }
}

export interface TestPreview {
  messages: { to: string | null; subject: string | null; contentType: string | null; body: string }[]
  problem: string | null
}

/** What a test would send, without secrets. */
export async function previewTest(test: SendTest): Promise<TestPreview> {
  try {
    const { message, tools } = await prepareTest(test)
    const parts = await renderParts(test.channel, message, tools)
    return { messages: parts.map(previewOf), problem: null }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { messages: [], problem: error.message }
  }
}

function previewOf(part: Part): TestPreview['messages'][number] {
  if ('mail' in part) {
    const { to, subject, text } = part.mail
    return { to, subject, contentType: 'text/plain', body: text }
  }
  const { headers, body } = part.http
  return { to: null, subject: null, contentType: headers['content-type'] ?? null, body: body ?? '' }
}

async function prepareTest({ db, pool, vault, clients, account, channel, alertType, now }: SendTest) {
  const { settings, renderTemplate } = clients
  const known = await readAlertVariables(pool, vault, { accountId: account.id, groupId: null })
  const linkTo = await openLinks(db, { publicUrl: settings.publicUrl, sign: vault.sign, now }, account.id)
  return {
    message: testMessage({ id: randomUUID(), channelId: channel.id, alertType, account, linkTo, now }),
    tools: { now, settings, ...known, renderTemplate },
  }
}
