// Ends a plain script that leaves handles open. A browser, a server or an interval that nobody closed would keep the process
// until its time limit, and hold a slot of the agent meanwhile.
'use strict'
const net = require('node:net')
const timers = require('node:timers')

/** How long nothing may be pending before the run is ended. */
const graceMs = 3_000
const lookEveryMs = 250

/** Handles that scripts leave open. Everything else that keeps the process alive is work: requests, files, one-shot timers. */
const leftOpen =
  /^(ProcessWrap|PipeWrap|PipeServerWrap|TCPServerWrap|UDPWrap|TTYWrap|SignalWrap|FSEventWrap|StatWatcher|MessagePort|Worker)$/

const { setTimeout: setGenuine } = timers
/** Intervals, and timers of Playwright: as long as a page is open it sets one after another. */
const ignored = new Set()
const calls = new Set()
/** Inside of a cell connections lead through socket files, which look like the pipes of a browser that was left open. */
const connections = new Set()

/** Before the script is loaded: later such a timer looks like any other. */
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
    // Both get an object that stands for the call, at places that differ between versions.
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

/** Once the script was loaded and what it awaits at its top has settled. `end` gets the kinds of handles that were left. */
exports.endWhenIdle = (end) => {
  let lastBusy = performance.now()
  const look = setGenuine(check, lookEveryMs)
  look.unref()
  function check() {
    const now = performance.now()
    if (isBusy()) lastBusy = now
    if (now - lastBusy >= graceMs) return end([...new Set(process.getActiveResourcesInfo())])
    look.refresh()
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
