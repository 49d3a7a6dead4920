// The page on which a subscriber chooses services or unsubscribes. A signed link in mails opens it.
import { Uuid } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../core/html.ts'
import { isRecord } from '../../core/is-record.ts'
import { linkPaths, readLinkToken, subscriptionLink } from '../../links/subscription-link.ts'
import { listShownServices } from '../../storage/pages/status-page-cards.ts'
import * as subscriptions from '../../storage/pages/status-page-subscriptions.ts'
import { basePath, type PagesDeps } from '../deps.ts'
import { sendPage } from '../page.ts'
import { type Speech, speechFor } from '../texts/speech.ts'
import { readServiceChoice, renderServiceChoice } from './service-choice.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

export function serveSubscriptionPage(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock, vault } = deps
  const { db } = store

  type Handler = (
    reader: subscriptions.ReaderRow,
    request: WithToken,
    reply: FastifyReply,
  ) => Promise<FastifyReply>

  const withReader = (handle: Handler) => async (request: WithToken, reply: FastifyReply) => {
    const id = readLinkToken(vault.sign, 'manage', request.params.token)
    if (id === null) return sendUnknownLink(request, reply)
    const reader = await subscriptions.findSubscriptionOfLink(db, id)
    return reader === null ? sendNoSubscription(request, reply) : handle(reader, request, reply)
  }

  const show = withReader(async (reader, request, reply) => {
    const speech = speechFor(request)
    const { language, texts } = speech
    // A mail that asks to confirm a change proposes it; nothing is saved before the subscriber does.
    const proposed = await readMailedChoice(deps, request, reader.id)
    const form = await subscriptionForm(deps, { ...reader, ...proposed }, speech)
    const body = html`<p>${texts.subscription.about(reader.address, reader.page_name)}</p>\n${form}`
    return sendPage(reply, { status: 200, language, title: texts.subscription.manage, body })
  })

  const save = withReader(async (reader, request, reply) => {
    const speech = speechFor(request)
    const { language, texts } = speech
    const words = texts.subscription
    const services = await listChoosable(deps, reader)
    const chosen = readServiceChoice(request.body, services)
    if (chosen === null || chosen.length === 0) {
      const title = chosen === null ? words.servicesChanged : words.noServiceChosen
      const reason = chosen === null ? words.reloadServices : words.chooseOrLeave
      return sendPage(reply, { status: 400, language, title, body: html`<p>${reason}</p>` })
    }
    const service_ids = chosen.length === services.length ? null : chosen.map(({ id }) => id)
    await subscriptions.chooseSubscribedServices(db, reader.id, service_ids, new Date(clock.now()))
    const form = await subscriptionForm(deps, { ...reader, service_ids }, speech)
    const body = html`<p>${words.about(reader.address, reader.page_name)}</p>\n${form}`
    return sendPage(reply, { status: 200, language, title: words.saved, body })
  })

  app.get(`${linkPaths.manage}/:token`, show)
  app.post(`${linkPaths.manage}/:token`, save)
}

/** The services that the mail of this link asks to confirm. */
export async function readMailedChoice(
  { store }: PagesDeps,
  { query }: FastifyRequest,
  id: string,
): Promise<{ service_ids: string[] | null } | null> {
  const { data: mailId } = Uuid.safeParse(isRecord(query) ? query.mail : null)
  return mailId === undefined ? null : subscriptions.findMailedChoice(store.db, id, mailId)
}

/** To choose services, and to unsubscribe. */
export async function subscriptionForm(
  deps: PagesDeps,
  reader: subscriptions.ReaderRow,
  speech: Speech,
): Promise<Html> {
  const words = speech.texts.subscription
  const services = await listChoosable(deps, reader)
  const context = { publicUrl: basePath(deps), sign: deps.vault.sign }
  const query = `?lang=${speech.language}`
  const choice =
    services.length < 2
      ? null
      : html`<form method="post" action="${subscriptionLink(context, 'manage', reader.id)}${query}">
${renderServiceChoice(services, ({ id }) => reader.service_ids?.includes(id) ?? true, speech)}
<button type="submit">${words.save}</button>
</form>
`
  return html`${choice}<form method="post" action="${subscriptionLink(context, 'unsubscribe', reader.id)}${query}">
<button class="plain" type="submit">${words.unsubscribe}</button>
</form>`
}

/** Subscribers of a private page don't have its key, so they don't see its services. */
async function listChoosable({ store }: PagesDeps, reader: subscriptions.ReaderRow) {
  return reader.is_private ? [] : listShownServices(store.db, reader.account_id, reader.status_page_id)
}

export function sendNoSubscription(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { language, texts } = speechFor(request)
  const body = html`<p>${texts.subscription.goneReason}</p>`
  return sendPage(reply, { status: 410, language, title: texts.subscription.gone, body })
}

/** Forged links, truncated ones and those from before a change of the secret key can't be distinguished. */
export function sendUnknownLink(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { language, texts } = speechFor(request)
  const body = html`<p>${texts.subscription.unknownLinkReason}</p>`
  return sendPage(reply, { status: 404, language, title: texts.subscription.unknownLink, body })
}
