// Records console, network and page errors and the web vitals of each page, by listeners that any Playwright script could add.
// Written line by line, so that a run that is ended early keeps them.
'use strict'
const fs = require('node:fs')
const path = require('node:path')

const { notes } = require('./paths.cjs')

const eventsFile = `${notes}/events.jsonl`
const maxEvents = 2_000
let count = 0
const open = new Set()

function record(event) {
  count += 1
  if (count > maxEvents) return
  try {
    fs.appendFileSync(eventsFile, `${JSON.stringify(event)}\n`)
  } catch {
    // The disk is full, or the script removed the directory: the run continues.
  }
}

/** The mark lets the agent find truncated secrets. */
const truncate = (text, max = 2_000) =>
  String(text).length > max ? `${String(text).slice(0, max)}…` : String(text)

/** Returns why less is recorded, or recorded in another way. */
exports.instrument = (modules) => {
  watchSecrets()
  const playwright = require(path.join(modules, 'playwright-core'))
  timeRequests(playwright.request)
  const instrumentation = playwright._instrumentation
  if (!instrumentation) {
    // 1.28 and 1.32.
    hasContextEvents = false
    for (const name of ['chromium', 'firefox', 'webkit']) watchLaunches(playwright[name])
    return ['Playwright has no instrumentation: pages are recorded by its public methods']
  }
  instrumentation.addListener({
    // The names differ between versions.
    runAfterCreateBrowserContext: begin,
    onDidCreateBrowserContext: begin,
    runBeforeCloseBrowserContext: flush,
    onWillCloseBrowserContext: flush,
  })
  return []
}

const begin = (context) => watch(context).catch(() => {})

const patched = new Set()
/** Console messages and errors are events of contexts, otherwise of pages. */
let hasContextEvents = true

/** Replaces a method of a class that is known by one of its objects. */
function patch(object, name, change) {
  const { prototype } = object.constructor
  const key = `${object.constructor.name}.${name}`
  if (patched.has(key) || typeof prototype[name] !== 'function') return
  patched.add(key)
  prototype[name] = change(prototype[name])
}

/** Without Playwright's instrumentation: its stack traces then have a line of this file. */
function watchLaunches(browserType) {
  const observe = (method) =>
    async function (...args) {
      const opened = await method.apply(this, args)
      if ('newContext' in opened) watchBrowser(opened)
      else await begin(opened)
      return opened
    }
  for (const name of ['launch', 'connect', 'connectOverCDP', 'launchPersistentContext'])
    patch(browserType, name, observe)
}

function watchBrowser(browser) {
  onNewContext(browser, async (context) => {
    await begin(context)
    patch(context, 'close', flushFirst)
  })
}

function onNewContext(object, prepare) {
  const prepared = (newContext) =>
    async function (...args) {
      const context = await newContext.apply(this, args)
      await prepare(context)
      return context
    }
  patch(object, 'newContext', prepared)
}

/** Of a context or a browser; closing a browser closes its contexts without events. */
const flushFirst = (close) =>
  async function (...args) {
    await Promise.all((this.contexts?.() ?? [this]).map(flush))
    return close.apply(this, args)
  }

/** For `getAPIResponseTime` of the helper packages; Playwright doesn't measure it. */
function timeRequests(request) {
  if (request) onNewContext(request, (context) => patch(context, 'fetch', timed))
}

const timed = (fetch) =>
  async function (...args) {
    const begin = performance.now()
    const response = await fetch.apply(this, args)
    const total = performance.now() - begin
    response.timings ??= () => ({ total })
    return response
  }

/** Values that a script assigns to SERVICE_SECRET_… variables are scrubbed like other secrets. */
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
  if (context.request) patch(context.request, 'fetch', timed)
  if (context.browser()) patch(context.browser(), 'close', flushFirst)
  const onConsole = (message, page) => {
    if (message.type() === 'error')
      record({ type: 'console', message: truncate(message.text()), url: pageOf(page) })
  }
  const onError = (error, page) =>
    record({ type: 'page', message: truncate(error.message), url: pageOf(page) })
  if (hasContextEvents) {
    context.on('console', (message) => onConsole(message, message.page()))
    context.on('weberror', (error) => onError(error.error(), error.page()))
  } else
    context.on('page', (page) => {
      page.on('console', (message) => onConsole(message, page))
      page.on('pageerror', (error) => onError(error, page))
    })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed'
    // A navigation aborts pending requests.
    if (reason !== 'net::ERR_ABORTED') record({ ...describe(request), message: truncate(reason) })
  })
  context.on('response', (response) => {
    if (response.status() >= 400) record({ ...describe(response.request()), status: response.status() })
  })
  await context.exposeBinding('__vedetteVitals', ({ page }, vitals) => {
    if (vitals && typeof vitals === 'object') record({ type: 'vitals', page: idOf(page), ...vitals })
  })
  await context.addInitScript({ content: measurement() })
}

const describe = (request) => ({
  type: request.isNavigationRequest() ? 'document' : 'network',
  method: request.method(),
  url: truncate(request.url()),
})

const pageOf = (page) => (page ? truncate(page.url()) : '')

const ids = new WeakMap()
let lastId = 0

function idOf(page) {
  if (!ids.has(page)) ids.set(page, ++lastId)
  return `${process.pid}-${ids.get(page)}`
}

async function flush(context) {
  const timeout = new Promise((settle) => setTimeout(settle, 500).unref())
  const flushed = context
    .pages()
    .map((page) => page.evaluate(() => window.__vedetteFlush?.()).catch(() => {}))
  await Promise.race([Promise.all(flushed), timeout])
}

/** In its own scope: the page sees no variable of the library. */
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
    timer ??= setTimeout(report, 100)
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
    // This browser doesn't support it.
  }
  /** The time beyond 50 ms of each task after the first paint, so far. */
  const blockedAfter = (fcp) =>
    longTasks
      .map(({ startTime, endTime }) => endTime - Math.max(startTime, fcp))
      .reduce((sum, duration) => sum + Math.max(0, duration - 50), 0)
  const report = () => {
    clearTimeout(timer)
    timer = null
    const navigation = performance.getEntriesByType('navigation')[0]
    if (!location.href.startsWith('http')) return
    const sizes = performance
      .getEntriesByType('resource')
      .reduce((sum, entry) => sum + (entry.transferSize || 0), 0)
    // The package reports paints when the page is idle, and TTFB after the load: both may already be known here.
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
  /** Waits until the page is idle, when the package reports its values. */
  window.__vedetteFlush = async () => {
    const idle = window.requestIdleCallback ?? ((done) => setTimeout(done, 50))
    await new Promise((done) => idle(done, { timeout: 200 }))
    await new Promise((done) => setTimeout(done, 0))
    return report()
  }
  addEventListener('load', later)
  addEventListener('pagehide', report)
}
