// The form with which visitors subscribe to a status page. The response is the same whether or not the address is known, and
// the owner of the address has to confirm.
import { createHash } from 'node:crypto'
import { Email } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../core/address-bucket.ts'
import { html } from '../core/html.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import * as subscriptions from '../storage/pages/status-page-subscriptions.ts'
import { findPublicStatusPage, holdStatusPage, type StatusPageRow } from '../storage/pages/status-pages.ts'
import { insertVerificationMails } from '../storage/pages/subscriber-mails.ts'
import type { PagesDeps } from './deps.ts'
import { fieldOf } from './form.ts'
import { isWithin, limit } from './limit.ts'
import { sendPage } from './page.ts'

type WithSlug = FastifyRequest<{ Params: { slug: string } }>

const hourSeconds = 3600
const perVisitor = { limit: 20, seconds: hourSeconds }
/** Across all pages, so that the form can't be used to flood a mailbox. */
const perAddress = { limit: 3, seconds: 24 * hourSeconds }

export function serveSubscribeForm(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock } = deps
  app.post('/s/:slug/subscriptions', async (request: WithSlug, reply: FastifyReply) => {
    const bucket = `subscribe:${addressBucket(request)}`
    await limit(deps, bucket, perVisitor, 'Too many subscriptions were requested from your address.')
    // choice: the owner of a private page subscribes people through the API.
    const page = await findPublicStatusPage(store.db, request.params.slug)
    if (page === null) return sendNoStatusPage(reply)
    const { data: address } = Email.safeParse(fieldOf(request.body, 'address')?.trim())
    if (address === undefined) {
      const body = html`<p>Go back and enter an address such as name@example.com.</p>`
      return sendPage(reply, { status: 400, title: "This isn't an email address", body })
    }
    if (await isWithin(deps, `subscribe:mail:${digestOf(address)}`, perAddress)) {
      await transact(store.db, (tx) => subscribe(tx, page, address, clock.now()))
    }
    const body = html`<p>If ${address} isn't subscribed to ${page.name} yet, we have sent it an email.
Open the link in it to confirm the subscription.</p>`
    return sendPage(reply, { status: 202, title: 'Check your mailbox', body })
  })
}

export function sendNoStatusPage(reply: FastifyReply): FastifyReply {
  const body = html`<p>The address is wrong, or the page was removed.</p>`
  return sendPage(reply, { status: 404, title: 'This status page doesn’t exist', body })
}

/** An unconfirmed address gets another mail; a confirmed one gets none. */
async function subscribe(tx: Db, page: StatusPageRow, address: string, now: number): Promise<void> {
  if ((await holdStatusPage(tx, page.account_id, page.id)) === null) return
  const sent = [{ type: 'EMAIL', address }]
  let waiting = await subscriptions.insertStatusPageSubscriptions(tx, page.account_id, page.id, sent)
  if (waiting.length === 0) {
    const known = await subscriptions.findSubscriptionOfAddress(tx, page.id, address)
    waiting = known?.status === 'PENDING' ? [known] : []
  }
  await insertVerificationMails(clientOf(tx), page, waiting, now)
}

/** Counters don't contain addresses. */
function digestOf(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('base64url')
}
