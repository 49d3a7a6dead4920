// Serves public pages to visitors without a login: HTML without scripts, Playwright's trace viewer, and the files of the web app.
// It never imports http/: the server mounts both.
import type { FastifyPluginAsync } from 'fastify'
import { serveDashboards } from './dashboard/routes.ts'
import type { PagesDeps } from './deps.ts'
import { servePendingDomains } from './domains/pending-domain.ts'
import { readForms } from './form.ts'
import { serveLinkedPages } from './linked-pages.ts'
import { servePreviews } from './previews.ts'
import { sendProblem } from './problem.ts'
import { serveStatusPages } from './status/routes.ts'
import { serveSubscriptionPage } from './subscriptions/manage-subscription.ts'
import { serveSubscribeForm } from './subscriptions/subscribe.ts'
import { serveSubscriptionLinks } from './subscriptions/subscription-links.ts'
import { serveTraceViewer } from './trace-viewer.ts'

export function pages(deps: PagesDeps): FastifyPluginAsync {
  return async (app) => {
    readForms(app)
    app.setErrorHandler(sendProblem)
    deps.webApp.serve(app)
    servePendingDomains(app)
    serveSubscriptionLinks(app, deps)
    serveSubscriptionPage(app, deps)
    serveSubscribeForm(app, deps)
    serveStatusPages(app, deps)
    serveDashboards(app, deps)
    servePreviews(app, deps)
    serveLinkedPages(app, deps)
    serveTraceViewer(app, deps)
  }
}
