// What a custom domain shows until its DNS record proves whose it is.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../core/html.ts'
import { sendPage } from '../page.ts'

/** Requests of such a domain are handled here, whatever their path. */
export const pendingDomainPath = '/s/_/pending-domain'

export function servePendingDomains(app: FastifyInstance): void {
  app.all(pendingDomainPath, async (_request: FastifyRequest, reply: FastifyReply) => {
    const body = html`<p>A page is about to move to this domain. It appears here once its owner has added the DNS record that proves
that the domain is theirs.</p>`
    return sendPage(reply, { status: 404, title: 'There is no page here yet', body })
  })
}
