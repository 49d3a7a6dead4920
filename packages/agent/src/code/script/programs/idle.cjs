// Ends a plain script that leaves handles open. A browser, a server or an interval that it doesn't close would keep the process
// alive until its time limit, and use capacity of the agent meanwhile.
'use strict'
const net = require('node:net')
const timers = require('node:timers')

/** The run is ended when nothing is pending for this long. */
const graceMs = 3_000
const checkEveryMs = 250

/** Handles that scripts leave open. Everything else that keeps the process alive is work: requests, files, one-shot timers. */
const leftOpen =
  /^(ProcessWrap|PipeWrap|PipeServerWrap|TCPServerWrap|UDPWrap|TTYWrap|SignalWrap|FSEventWrap|StatWatcher|MessagePort|Worker)$/

const { setTimeout: setGenuine } = timers
/** Intervals, and timers of Playwright, which sets one after another while a page is open. */
const ignored = new Set()
const calls = new Set()
/** In a cell, connections are socket files, which look like the pipes of an open browser. */
const connections = new Set()

/** Call it before the script is loaded, to know the origin of each timer. */
exports.watch = (playwright, modules) => {
  const isOfPlaywright = (stack) => stack.includes(`${modules}/playwright`)
  replace('setInterval', () => true)
  replace('setTimeout', () => isOfPlaywright(callerOf()))
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function (...args) {
    connections.add(this)
    return connect.apply(this, args)
  }
  playwright._instrumentation?.addListener({
    // Both get an object for the call; its position among the arguments differs between versions.
    onApiCallBegin: (...args) => calls.add(args),
    onApiCallEnd: (call) => {
      for (const args of calls) if (args.includes(call)) calls.delete(args)
    },
  })
}

function replace(name, isIgnored) {
  const genuine = timers[name]
  const own = (...args) => {
    const timer = genuine(...args)
    if (isIgnored()) ignored.add(timer)
    return timer
  }
  // util.promisify looks for a property of setTimeout.
  Object.defineProperties(own, Object.getOwnPropertyDescriptors(genuine))
  globalThis[name] = own
  timers[name] = own
}

/** The stack of the code that sets the timer; its first frames are of this file. */
function callerOf() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 4
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  return String(stack)
}

/** Call it after the script's top-level awaits. `end` gets the kinds of open handles. */
exports.endWhenIdle = (end) => {
  let lastBusy = performance.now()
  const timer = setGenuine(check, checkEveryMs)
  timer.unref()
  function check() {
    const now = performance.now()
    if (isBusy()) lastBusy = now
    if (now - lastBusy >= graceMs) return end([...new Set(process.getActiveResourcesInfo())])
    timer.refresh()
  }
}

function isBusy() {
  for (const timer of ignored) if (timer._destroyed) ignored.delete(timer)
  const kinds = process.getActiveResourcesInfo()
  const ignoredTimers = [...ignored].filter((timer) => timer.hasRef()).length
  return (
    calls.size > 0 ||
    [...connections].some(isInUse) ||
    kinds.filter((kind) => kind === 'Timeout').length > ignoredTimers ||
    kinds.some((kind) => kind !== 'Timeout' && !leftOpen.test(kind))
  )
}

/** Connections that an HTTP agent keeps for later requests don't keep the process alive, and aren't work. */
function isInUse(socket) {
  if (!socket.destroyed) return socket.connecting || socket._handle?.hasRef?.() === true
  connections.delete(socket)
  return false
}
