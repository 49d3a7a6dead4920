// The door of public pages. Comes in: visitors without a login, and the links of mails. Goes out: HTML without scripts, and
// the viewer of traces, which is Playwright's own.
// It never imports http/: the server mounts it beside the API.
import type { FastifyPluginAsync } from 'fastify'
import type { PagesDeps } from './deps.ts'
import { readForms } from './form.ts'
import { serveLanding } from './landing.ts'
import { serveLinkedPages } from './linked-pages.ts'
import { answerProblem } from './problem.ts'
import { serveStatusPages } from './status-page.ts'
import { serveSubscribeForm } from './subscribe.ts'
import { serveSubscriptionLinks } from './subscription-links.ts'
import { serveTraceViewer } from './trace-viewer.ts'

export function pages(deps: PagesDeps): FastifyPluginAsync {
  return async (app) => {
    readForms(app)
    app.setErrorHandler(answerProblem)
    serveLanding(app, deps)
    serveSubscriptionLinks(app, deps)
    serveSubscribeForm(app, deps)
    serveStatusPages(app, deps)
    serveLinkedPages(app, deps)
    serveTraceViewer(app)
  }
}
