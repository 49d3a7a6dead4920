// Serves signed links in messages and API responses. Members of the account who are signed in get the screen of the app, others a
// page of one resource, without a login and without scripts. The pages show verdict, reason, timings and assertions, and never bodies, headers, logs or files.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../core/address-bucket.ts'
import { type Html, html } from '../core/html.ts'
import { isSigned, type LinkKind, linkPath, readToken, type SignedLink } from '../links/signed-link.ts'
import { findLinkAccess } from '../storage/core/signed-links.ts'
import { findAnalysis } from '../storage/results/root-cause-analyses.ts'
import { analysisPage } from './analysis-page.ts'
import { checkPage } from './check-page.ts'
import { basePath, type PagesDeps } from './deps.ts'
import { limit } from './limit.ts'
import { type LinkedPage, sendPage } from './page.ts'
import { resultPage, testResultPage } from './result-page.ts'
import { checkSessionPage, testSessionPage } from './session-page.ts'
import { timeOf } from './words.ts'

/** Null: the resource doesn't exist (any more). */
type Render = (deps: PagesDeps, link: SignedLink) => Promise<LinkedPage | null>

const renderers: Record<LinkKind, Render> = {
  result: resultPage,
  check: checkPage,
  checkSession: checkSessionPage,
  testSession: testSessionPage,
  testResult: testResultPage,
  analysis: analysisPage,
  testAlert: async () => ({
    title: 'This link works',
    tabTitle: 'Test alert',
    body: html`<p>You opened the link of a test message. The links in alerts open a page like this one, with the verdict of the
run, the reason, its assertions and its timings.</p>`,
  }),
}

/** Below the address of the account. Null: the app has no screen for it. */
type FindScreen = (deps: PagesDeps, link: SignedLink) => string | null | Promise<string | null>

const screens: Record<LinkKind, FindScreen> = {
  result: (_deps, { ids: [checkId, id] }) => `/checks/${checkId}/results/${id}`,
  check: (_deps, { ids: [checkId] }) => `/checks/${checkId}`,
  checkSession: (_deps, { ids: [id] }) => `/sessions/${id}`,
  testSession: (_deps, { ids: [id] }) => `/sessions/${id}`,
  testResult: (_deps, { ids: [sessionId, id] }) => `/test-sessions/${sessionId}/results/${id}`,
  analysis: screenOfAnalysis,
  testAlert: () => null,
}

type WithToken = FastifyRequest<{ Params: { token: string } }>

const perAddress = { limit: 60, seconds: 60 }

export function serveLinkedPages(app: FastifyInstance, deps: PagesDeps): void {
  app.get(`${linkPath}/:token`, async (request: WithToken, reply: FastifyReply) => {
    const bucket = `links:${addressBucket(request)}`
    await limit(deps, bucket, perAddress, 'Too many of these pages were opened from your address.')
    const { token } = request.params
    const link = readToken(token)
    if (link === null) return sendNotFound(reply)
    // The app checks what its user may see, so it doesn't matter whether the link is still valid.
    const isMember = await deps.isMember(request.headers, link.accountId)
    const screen = isMember ? await screenUrl(deps, link) : null
    if (screen !== null) return reply.header('cache-control', 'no-store').redirect(screen)
    const access = await findLinkAccess(deps.store.db, link.accountId)
    if (access === null || !isSigned(deps.vault.sign, token, access.epoch)) return sendNotFound(reply)
    if (link.expiresAt <= deps.clock.now()) return sendExpired(reply, await screenUrl(deps, link))
    if (!access.isOn) return sendTurnedOff(reply, await screenUrl(deps, link))
    const page = await renderers[link.kind](deps, link)
    if (page === null) return sendNotFound(reply)
    const footer = html`Anyone with this link can open this page until ${timeOf(new Date(link.expiresAt).toISOString())}.
It shows no bodies, headers, logs or files.`
    const body = html`${page.body}${signInOffer(await screenUrl(deps, link))}`
    return sendPage(reply, { status: 200, ...page, body, footer })
  })
}

async function screenUrl(deps: PagesDeps, link: SignedLink): Promise<string | null> {
  const path = await screens[link.kind](deps, link)
  return path === null ? null : `${basePath(deps)}/accounts/${link.accountId}${path}`
}

async function screenOfAnalysis(
  { store }: PagesDeps,
  { accountId, ids }: SignedLink,
): Promise<string | null> {
  const row = await findAnalysis(store.db, accountId, ids[0] ?? '')
  return row === null || row.check_id === null ? null : `/checks/${row.check_id}?tab=errors`
}

/** The app asks for the password and then opens the screen. */
function signInOffer(screen: string | null): Html | null {
  return screen === null ? null : html`\n<p class="action"><a href="${screen}">Sign in for details</a></p>`
}

/** The same page for tampered, revoked and unknown links: it doesn't reveal whether a resource exists. */
function sendNotFound(reply: FastifyReply): FastifyReply {
  const body = html`<p>The link is incomplete, it was revoked, or what it showed has been deleted since.</p>
<p>Ask the person who sent it for a new one.</p>`
  return sendPage(reply, { status: 404, title: 'This link doesn’t open anything', body })
}

function sendExpired(reply: FastifyReply, screen: string | null): FastifyReply {
  const body = html`<p>Links like this one open for 30 days. Ask the person who sent it for a new one.</p>${signInOffer(screen)}`
  return sendPage(reply, { status: 410, title: 'This link has expired', body })
}

function sendTurnedOff(reply: FastifyReply, screen: string | null): FastifyReply {
  const body = html`<p>This account has turned off links that open without a login. The API shows the same with a key.</p>${signInOffer(screen)}`
  return sendPage(reply, { status: 403, title: 'Links are turned off', body })
}
