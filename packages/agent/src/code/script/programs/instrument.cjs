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
  await context.addInitScript(measure)
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

/** Runs in the page. */
function measure() {
  if (window !== window.top) return
  const seen = { lcp: null, cls: 0, tbt: 0, fcp: null }
  const observe = (type, use) => {
    try {
      new PerformanceObserver((list) => {
        list.getEntries().forEach(use)
        later()
      }).observe({ type, buffered: true })
    } catch {
      // This browser does not measure it.
    }
  }
  observe('largest-contentful-paint', (entry) => {
    seen.lcp = entry.startTime
  })
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) seen.cls += entry.value
  })
  observe('longtask', (entry) => {
    if (entry.duration > 50) seen.tbt += entry.duration - 50
  })
  observe('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') seen.fcp = entry.startTime
  })
  let timer = null
  const later = () => {
    timer ??= setTimeout(say, 100)
  }
  const say = () => {
    clearTimeout(timer)
    timer = null
    const navigation = performance.getEntriesByType('navigation')[0]
    if (!location.href.startsWith('http')) return
    const sizes = performance
      .getEntriesByType('resource')
      .reduce((sum, entry) => sum + (entry.transferSize || 0), 0)
    return window.__vedetteVitals?.({
      url: location.href,
      at: performance.timeOrigin,
      TTFB: navigation?.responseStart ?? null,
      // Painted, perhaps, and not yet observed.
      FCP: seen.fcp ?? performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
      LCP: seen.lcp,
      CLS: seen.cls,
      TBT: seen.tbt,
      onContentLoad: navigation?.domContentLoadedEventEnd || null,
      onLoad: navigation?.loadEventEnd || null,
      transferred: sizes + (navigation?.transferSize ?? 0),
    })
  }
  window.__vedetteFlush = say
  addEventListener('load', later)
  addEventListener('pagehide', say)
}
