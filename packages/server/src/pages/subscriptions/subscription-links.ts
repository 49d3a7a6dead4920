// Serves the links in mails to subscribers. GET changes the subscription, because the mails promise one click. HEAD and
// prefetching browsers change nothing. A mail scanner that opens every link with GET can at most confirm an address, and an
// unsubscribed reader can undo it at once. Mails of earlier releases have other paths, which stay valid.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../core/html.ts'
import { linkPaths, readLinkToken } from '../../links/subscription-link.ts'
import { transact } from '../../storage/core/db.ts'
import * as subscriptions from '../../storage/pages/status-page-subscriptions.ts'
import { basePath, type PagesDeps } from '../deps.ts'
import { fieldOf } from '../form.ts'
import { sendPage } from '../page.ts'
import { speechFor } from '../texts/speech.ts'
import {
  readMailedChoice,
  sendNoSubscription,
  sendUnknownLink,
  subscriptionForm,
} from './manage-subscription.ts'
import { readUndoToken, undoToken } from './undo-token.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

const restorePath = '/s/_/restore'

export function serveSubscriptionLinks(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock, vault } = deps
  const { db } = store

  const verify = async (request: WithToken, reply: FastifyReply) => {
    const id = readLinkToken(vault.sign, 'verify', request.params.token)
    if (id === null) return sendUnknownLink(request, reply)
    const reader = await subscriptions.findSubscriptionOfLink(db, id)
    if (reader === null) return sendNoSubscription(request, reply)
    const speech = speechFor(request)
    const { language } = speech
    const words = speech.texts.subscription
    if (isPrefetch(request)) {
      const query = /\?.*$/.exec(request.url)?.[0] ?? '?'
      const body = html`<p><a href="${query}">${words.confirm(reader.address)}</a></p>`
      return sendPage(reply, { status: 200, language, title: reader.page_name, body })
    }
    const choice = await readMailedChoice(deps, request, id)
    await subscriptions.verifySubscription(db, id, choice, new Date(clock.now()))
    const confirmed = reader.status === 'PENDING' ? { ...reader, ...choice } : reader
    const body = html`<p>${words.about(reader.address, reader.page_name)}</p>
${await subscriptionForm(deps, confirmed, speech)}
<p class="muted">${words.everyMail}</p>`
    return sendPage(reply, { status: 200, language, title: words.confirmed, body })
  }

  const unsubscribe = async (request: WithToken, reply: FastifyReply) => {
    const id = readLinkToken(vault.sign, 'unsubscribe', request.params.token)
    if (id === null) return sendUnknownLink(request, reply)
    const { language, texts } = speechFor(request)
    const words = texts.subscription
    const reader = await subscriptions.findSubscriptionOfLink(db, id)
    if (reader === null) {
      const body = html`<p>${words.noMoreMails}</p>`
      return sendPage(reply, { status: 200, language, title: words.notSubscribed, body })
    }
    if (isPrefetch(request)) {
      const body = html`<form method="post"><button type="submit">${words.unsubscribeAddress(reader.address)}</button></form>`
      return sendPage(reply, { status: 200, language, title: reader.page_name, body })
    }
    await subscriptions.deleteSubscriptionOfLink(db, id)
    const undo = undoToken(vault.sign, reader, clock.now())
    const body = html`<p>${words.noLongerAbout(reader.address, reader.page_name)}</p>
<form method="post" action="${basePath(deps)}${restorePath}?lang=${language}">
<input type="hidden" name="undo" value="${undo}">
<button type="submit">${words.undo}</button>
</form>`
    return sendPage(reply, { status: 200, language, title: words.unsubscribed, body })
  }

  const restore = async (request: FastifyRequest, reply: FastifyReply) => {
    const removed = readUndoToken(vault.sign, fieldOf(request.body, 'undo') ?? '', clock.now())
    if (removed === null) return sendUnknownLink(request, reply)
    const isRestored = await transact(db, (tx) => subscriptions.restoreSubscription(tx, removed))
    if (!isRestored) return sendNoSubscription(request, reply)
    const { language, texts } = speechFor(request)
    const body = html`<p>${texts.subscription.again(removed.address)}</p>`
    return sendPage(reply, { status: 200, language, title: texts.subscription.restored, body })
  }

  const read = { method: ['GET', 'HEAD'], exposeHeadRoute: false }
  const earlier = (path: string) => path.replace('/s/', '/status-pages/')
  for (const url of [linkPaths.verify, earlier(linkPaths.verify)])
    app.route({ ...read, url: `${url}/:token`, handler: verify })
  for (const url of [linkPaths.unsubscribe, earlier(linkPaths.unsubscribe)]) {
    app.route({ ...read, url: `${url}/:token`, handler: unsubscribe })
    app.post(`${url}/:token`, unsubscribe)
  }
  app.post(restorePath, restore)
}

function isPrefetch({ method, headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz']
  return method === 'HEAD' || /prefetch|preview|prerender/i.test(String(purpose ?? ''))
}
