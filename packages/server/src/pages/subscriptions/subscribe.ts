// The form with which visitors subscribe to a status page. The response is the same whether or not the address is known, and
// the owner of the address has to confirm.
import { createHash } from 'node:crypto'
import { Email, hourMs } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../../core/address-bucket.ts'
import { html } from '../../core/html.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import { insertConfirmationMails, wasAskedSince } from '../../storage/pages/confirmation-mails.ts'
import { listShownServices } from '../../storage/pages/status-page-cards.ts'
import * as subscriptions from '../../storage/pages/status-page-subscriptions.ts'
import { findPublicStatusPage, holdStatusPage, type StatusPageRow } from '../../storage/pages/status-pages.ts'
import type { PagesDeps } from '../deps.ts'
import { fieldOf } from '../form.ts'
import { isWithin, limit } from '../limit.ts'
import { sendPage } from '../page.ts'
import { speechFor } from '../texts/speech.ts'
import { type Choosable, readServiceChoice } from './service-choice.ts'

type WithSlug = FastifyRequest<{ Params: { slug: string } }>

const hourSeconds = hourMs / 1000
const perVisitor = { limit: 20, seconds: hourSeconds }
/** Across all pages, so that the form can't be used to flood a mailbox. */
const perAddress = { limit: 3, seconds: 24 * hourSeconds }

export function serveSubscribeForm(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock } = deps
  app.post('/s/:slug/subscriptions', async (request: WithSlug, reply: FastifyReply) => {
    const bucket = `subscribe:${addressBucket(request)}`
    await limit(deps, bucket, perVisitor, 'Too many subscriptions were requested from your address.')
    const { language, texts } = speechFor(request)
    const words = texts.subscription
    // choice: the owner of a private page subscribes people through the API.
    const page = await findPublicStatusPage(store.db, request.params.slug)
    if (page === null) return sendNoStatusPage(request, reply)
    const { data: address } = Email.safeParse(fieldOf(request.body, 'address')?.trim())
    if (address === undefined) {
      const body = html`<p>${words.enterAddress}</p>`
      return sendPage(reply, { status: 400, language, title: words.notAnAddress, body })
    }
    const services = await listShownServices(store.db, page.account_id, page.id)
    const chosen = readServiceChoice(request.body, services)
    if (chosen === null) {
      const body = html`<p>${words.reloadServices}</p>`
      return sendPage(reply, { status: 400, language, title: words.servicesChanged, body })
    }
    // Those who check every box also want services that the page gets later.
    const isAll = chosen.length === 0 || chosen.length === services.length
    if (await isWithin(deps, `subscribe:mail:${digestOf(address)}`, perAddress)) {
      await transact(store.db, (tx) => subscribe(tx, page, address, isAll ? null : chosen, clock.now()))
    }
    const body = html`<p>${words.mailSent(address, page.name)}</p>
<p class="muted">${words.mailNotSent}</p>`
    return sendPage(reply, { status: 202, language, title: words.checkMailbox, body })
  })
}

export function sendNoStatusPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { language, texts } = speechFor(request)
  const body = html`<p>${texts.noStatusPageReason}</p>`
  return sendPage(reply, { status: 404, language, title: texts.noStatusPage, body })
}

/** Nothing changes before the address confirms it. It is asked at most once an hour. `chosen`: null means all services. */
async function subscribe(
  tx: Db,
  page: StatusPageRow,
  address: string,
  chosen: Choosable[] | null,
  now: number,
): Promise<void> {
  const { account_id, id: pageId } = page
  if ((await holdStatusPage(tx, account_id, pageId)) === null) return
  const service_ids = chosen?.map(({ id }) => id) ?? null
  const sent = { type: 'EMAIL', address, service_ids }
  const [added] = await subscriptions.insertStatusPageSubscriptions(tx, account_id, pageId, [sent])
  const reader = added ?? (await subscriptions.lockSubscriptionOfAddress(tx, account_id, pageId, address))
  // Null: it was removed a moment ago.
  if (reader === null || (await wasAskedSince(clientOf(tx), reader, now - hourMs))) return
  const isChange = reader.status === 'VERIFIED'
  if (isChange && isSameChoice(reader.service_ids, service_ids)) return
  const kind = isChange ? 'subscription_change' : 'subscription_verification'
  await insertConfirmationMails(clientOf(tx), kind, page, [reader], chosen, now)
}

function isSameChoice(one: string[] | null, other: string[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((id) => other.includes(id))
}

/** Counters don't contain addresses. */
function digestOf(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('base64url')
}
