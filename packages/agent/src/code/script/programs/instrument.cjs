// What a browser check tells besides its verdict: console, network and page errors, and web vitals of each page. Gathered by
// the listeners that every Playwright script could set itself; written down line by line, so that a run that is ended keeps
// what it had.
'use strict'
const fs = require('node:fs')
const path = require('node:path')

const { notes } = require('./places.cjs')

const eventsFile = `${notes}/events.jsonl`
const maxEvents = 2_000
let count = 0
const open = new Set()

function tell(event) {
  count += 1
  if (count > maxEvents) return
  try {
    fs.appendFileSync(eventsFile, `${JSON.stringify(event)}\n`)
  } catch {
    // A full disk, or a script that removed the folder: the run goes on.
  }
}

/** With a mark, by which the agent knows a secret that was cut in two. */
const cut = (text, max = 2_000) =>
  String(text).length > max ? `${String(text).slice(0, max)}…` : String(text)

exports.instrument = (modules) => {
  watchSecrets()
  optional(() => timeRequests(modules))
  const playwright = require(path.join(modules, 'playwright-core'))
  const instrumentation = playwright._instrumentation
  if (!instrumentation) return
  const begin = (context) => watch(context).catch(() => {})
  const end = (context) => flush(context)
  instrumentation.addListener({
    // The names differ between versions.
    runAfterCreateBrowserContext: begin,
    onDidCreateBrowserContext: begin,
    runBeforeCloseBrowserContext: end,
    onWillCloseBrowserContext: end,
  })
  optional(() => flushBeforeClose(modules))
}

/** Another version has it elsewhere: then that much less is observed. */
function optional(step) {
  try {
    step()
  } catch {
    // See above.
  }
}

/** A browser that is closed takes its contexts along without a word. */
function flushBeforeClose(modules) {
  const { Browser } = require(path.join(modules, 'playwright-core/lib/client/browser.js'))
  const close = Browser.prototype.close
  Browser.prototype.close = async function (...args) {
    await Promise.all(this.contexts().map(flush))
    return close.apply(this, args)
  }
}

/** `getAPIResponseTime` of the helper packages asks a response for it; Playwright itself does not measure. */
function timeRequests(modules) {
  const { APIRequestContext } = require(path.join(modules, 'playwright-core/lib/client/fetch.js'))
  const fetch = APIRequestContext.prototype.fetch
  APIRequestContext.prototype.fetch = async function (...args) {
    const begin = performance.now()
    const response = await fetch.apply(this, args)
    const total = performance.now() - begin
    response.timings ??= () => ({ total })
    return response
  }
}

/** Values that a script sets under such a name while it runs are scrubbed like those that were secret before. */
function watchSecrets() {
  process.env = new Proxy(process.env, {
    set(env, name, value) {
      env[name] = value
      if (typeof name === 'string' && name.startsWith('SERVICE_SECRET_')) noteSecret(String(value))
      return true
    },
  })
}

function noteSecret(value) {
  if (value.length > 128 * 1024) return
  fs.appendFileSync(`${notes}/secrets.jsonl`, `${JSON.stringify(value)}\n`)
}

/** A plain script may leave its browser open. */
exports.settle = async () => {
  await Promise.all([...open].map(flush))
}

async function watch(context) {
  open.add(context)
  context.on('close', () => open.delete(context))
  context.on('console', (message) => {
    if (message.type() === 'error')
      tell({ type: 'console', message: cut(message.text()), url: pageOf(message.page()) })
  })
  context.on('weberror', (error) =>
    tell({ type: 'page', message: cut(error.error().message), url: pageOf(error.page()) }),
  )
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed'
    // A page that is left calls off what it still loads.
    if (reason !== 'net::ERR_ABORTED') tell({ ...asked(request), message: cut(reason) })
  })
  context.on('response', (response) => {
    if (response.status() >= 400) tell({ ...asked(response.request()), status: response.status() })
  })
  await context.exposeBinding('__vedetteVitals', ({ page }, vitals) => {
    if (vitals && typeof vitals === 'object') tell({ type: 'vitals', page: idOf(page), ...vitals })
  })
  await context.addInitScript({ content: measurement() })
}

const asked = (request) => ({
  type: request.isNavigationRequest() ? 'document' : 'network',
  method: request.method(),
  url: cut(request.url()),
})

const pageOf = (page) => (page ? cut(page.url()) : '')

const ids = new WeakMap()
let lastId = 0

function idOf(page) {
  if (!ids.has(page)) ids.set(page, ++lastId)
  return `${process.pid}-${ids.get(page)}`
}

async function flush(context) {
  const patience = new Promise((settle) => setTimeout(settle, 500).unref())
  const said = context.pages().map((page) => page.evaluate(() => window.__vedetteFlush?.()).catch(() => {}))
  await Promise.race([Promise.all(said), patience])
}

/** In a scope of its own: the page under test sees no variable of the library's. */
function measurement() {
  const library = fs
    .readFileSync(path.join(__dirname, 'web-vitals.js'), 'utf8')
    .replace(/^\/\/# source.*$/m, '')
  return `(() => {${library}\n;(${measure})(webVitals)})()`
}

/** Runs in the page, with the web-vitals package. Total blocking time is our own: the package doesn't measure it. */
function measure(webVitals) {
  if (window !== window.top) return
  const seen = { TTFB: null, FCP: null, LCP: null, CLS: null }
  const longTasks = []
  let timer = null
  const later = () => {
    timer ??= setTimeout(say, 100)
  }
  const note = ({ name, value }) => {
    seen[name] = value
    later()
  }
  const all = { reportAllChanges: true }
  webVitals.onTTFB(note, all)
  webVitals.onFCP(note, all)
  webVitals.onLCP(note, all)
  webVitals.onCLS(note, all)
  try {
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        if (longTasks.length < 10_000) longTasks.push({ startTime, endTime: startTime + duration })
      }
      later()
    }).observe({ type: 'longtask', buffered: true })
  } catch {
    // This browser does not measure it.
  }
  /** What of each task after the first paint is beyond 50 ms, up to now; nothing is known of it before that paint. */
  const blockedAfter = (fcp) =>
    longTasks
      .map(({ startTime, endTime }) => endTime - Math.max(startTime, fcp))
      .reduce((sum, duration) => sum + Math.max(0, duration - 50), 0)
  const say = () => {
    clearTimeout(timer)
    timer = null
    const navigation = performance.getEntriesByType('navigation')[0]
    if (!location.href.startsWith('http')) return
    const sizes = performance
      .getEntriesByType('resource')
      .reduce((sum, entry) => sum + (entry.transferSize || 0), 0)
    // Painted, perhaps, and not yet reported: the package waits for idle moments, and with TTFB until the page is loaded.
    const FCP = seen.FCP ?? performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null
    return window.__vedetteVitals?.({
      url: location.href,
      at: performance.timeOrigin,
      TTFB: seen.TTFB ?? (navigation?.responseStart || null),
      FCP,
      LCP: seen.LCP,
      CLS: seen.CLS ?? (FCP === null ? null : 0),
      TBT: FCP === null ? null : blockedAfter(FCP),
      onContentLoad: navigation?.domContentLoadedEventEnd || null,
      onLoad: navigation?.loadEventEnd || null,
      transferred: sizes + (navigation?.transferSize ?? 0),
    })
  }
  /** After an idle moment, in which the package reports what it has. */
  window.__vedetteFlush = async () => {
    const idle = window.requestIdleCallback ?? ((done) => setTimeout(done, 50))
    await new Promise((done) => idle(done, { timeout: 200 }))
    await new Promise((done) => setTimeout(done, 0))
    return say()
  }
  addEventListener('load', later)
  addEventListener('pagehide', say)
}
