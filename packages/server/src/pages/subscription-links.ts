// Serves the links in mails to subscribers. GET changes the subscription, because the mails promise one click. HEAD and
// prefetching browsers change nothing. A mail scanner that opens every link with GET can at most confirm an address, and an
// unsubscribed reader can undo it at once. Mails of earlier releases have other paths, which stay valid.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../core/html.ts'
import { linkPaths, readLinkToken } from '../links/subscription-link.ts'
import { transact } from '../storage/core/db.ts'
import * as subscriptions from '../storage/pages/status-page-subscriptions.ts'
import { basePath, type PagesDeps } from './deps.ts'
import { fieldOf } from './form.ts'
import { sendPage } from './page.ts'
import { readUndoToken, undoToken } from './undo-token.ts'

type WithToken = FastifyRequest<{ Params: { token: string } }>

const restorePath = '/s/_/restore'

export function serveSubscriptionLinks(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock, vault } = deps
  const { db } = store

  const verify = async (request: WithToken, reply: FastifyReply) => {
    const id = readLinkToken(vault.sign, 'verify', request.params.token)
    if (id === null) return sendUnknownLink(reply)
    const reader = await subscriptions.findSubscriptionOfLink(db, id)
    if (reader === null) {
      const text = 'It was removed, or its status page was. You can subscribe again on the page.'
      return sendPage(reply, {
        status: 410,
        title: 'This subscription no longer exists',
        body: html`<p>${text}</p>`,
      })
    }
    if (isPrefetch(request)) {
      const body = html`<p><a href="?">Confirm the subscription of ${reader.address}</a></p>`
      return sendPage(reply, { status: 200, title: reader.page_name, body })
    }
    await subscriptions.verifySubscription(db, id, new Date(clock.now()))
    const body = html`<p>${reader.address} will receive emails about incidents on ${reader.page_name}.</p>
<p class="muted">Every email has a link to unsubscribe.</p>`
    return sendPage(reply, { status: 200, title: 'Your subscription is confirmed', body })
  }

  const unsubscribe = async (request: WithToken, reply: FastifyReply) => {
    const id = readLinkToken(vault.sign, 'unsubscribe', request.params.token)
    if (id === null) return sendUnknownLink(reply)
    const reader = await subscriptions.findSubscriptionOfLink(db, id)
    if (reader === null) {
      const body = html`<p>This subscription sends no more emails.</p>`
      return sendPage(reply, { status: 200, title: 'You are not subscribed', body })
    }
    if (isPrefetch(request)) {
      const body = html`<form method="post"><button>Unsubscribe ${reader.address}</button></form>`
      return sendPage(reply, { status: 200, title: reader.page_name, body })
    }
    await subscriptions.deleteSubscriptionOfLink(db, id)
    const undo = undoToken(vault.sign, reader, clock.now())
    const body = html`<p>${reader.address} no longer receives emails about incidents on ${reader.page_name}.</p>
<form method="post" action="${basePath(deps)}${restorePath}">
<input type="hidden" name="undo" value="${undo}">
<button>Undo: keep me subscribed</button>
</form>`
    return sendPage(reply, { status: 200, title: 'You are unsubscribed', body })
  }

  const restore = async (request: FastifyRequest, reply: FastifyReply) => {
    const removed = readUndoToken(vault.sign, fieldOf(request.body, 'undo') ?? '', clock.now())
    if (removed === null) return sendUnknownLink(reply)
    const isRestored = await transact(db, (tx) => subscriptions.restoreSubscription(tx, removed))
    if (!isRestored) {
      const body = html`<p>The status page was removed.</p>`
      return sendPage(reply, { status: 410, title: 'This subscription no longer exists', body })
    }
    const body = html`<p>${removed.address} receives emails about incidents again.</p>`
    return sendPage(reply, { status: 200, title: 'You are subscribed again', body })
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

/** Forged links, truncated ones and those from before a change of the secret key can't be distinguished. */
function sendUnknownLink(reply: FastifyReply): FastifyReply {
  const body = html`<p>It is incomplete, or the keys of this site have changed since it was sent.
Open the link of a newer mail, or subscribe again on the status page.</p>`
  return sendPage(reply, { status: 404, title: 'This link does not work', body })
}
