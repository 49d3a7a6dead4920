// A status page, which mails link to: its name, its latest incidents and the subscription form.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../core/html.ts'
import { type IncidentUpdateRow, listIncidentUpdates } from '../storage/pages/incident-updates.ts'
import { type IncidentRow, listIncidentsOfPages } from '../storage/pages/incidents.ts'
import { findPublicStatusPage } from '../storage/pages/status-pages.ts'
import { basePath, type PagesDeps } from './deps.ts'
import { sendPage } from './page.ts'
import { sendNoStatusPage } from './subscribe.ts'

type WithSlug = FastifyRequest<{ Params: { slug: string } }>

const shownIncidents = 10

export function serveStatusPages(app: FastifyInstance, deps: PagesDeps): void {
  const { store } = deps
  app.get('/status-pages/:slug', async (request: WithSlug, reply: FastifyReply) => {
    const page = await findPublicStatusPage(store.db, request.params.slug)
    if (page === null) return sendNoStatusPage(reply)
    const incidents = await listIncidentsOfPages(store.db, page.account_id, [page.id], shownIncidents)
    const ids = incidents.map(({ id }) => id)
    const updates = await listIncidentUpdates(store.db, page.account_id, ids)
    const updatesOf = Map.groupBy(updates, (update) => update.incident_id)
    const action = `${basePath(deps)}/status-pages/${page.url}/subscriptions`
    const body = html`${incidents.length === 0 ? html`<p>No incidents.</p>` : null}
${incidents.map((incident) => renderIncident(incident, updatesOf.get(incident.id) ?? []))}
<h2>Get incident updates by email</h2>
<form method="post" action="${action}">
<input type="email" name="address" required autocomplete="email" aria-label="Email address">
<button>Subscribe</button>
</form>`
    return sendPage(reply, { status: 200, title: page.name, body })
  })
}

function renderIncident({ name }: IncidentRow, [latest]: IncidentUpdateRow[]): Html | null {
  if (latest === undefined) return null
  const at = `${latest.public_incident_update_date.slice(0, 16).replace('T', ' ')} UTC`
  return html`<h2>${name}</h2>
<p class="muted">${latest.status} · ${at}</p>
<p class="words">${latest.description}</p>`
}
