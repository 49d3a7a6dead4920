// Passes the spare browser from the process that started it to the runner's worker: its pipes and its exit.
'use strict'
const { EventEmitter } = require('node:events')

const spareBrowser = require('./spare-browser.cjs')

exports.handOver = (worker) => {
  const held = spareBrowser.release()
  if (held === null) return
  const { child, facts } = held
  const send = (message, stream) =>
    worker.send({ method: '__vedette_browser__', ...message }, stream, undefined, () => {})
  send({ pid: child.pid, facts })
  child.stdio.forEach((stream, index) => {
    if (!stream) return
    const buffered = stream.read()?.toString()
    send({ index, buffered, isLast: index === child.stdio.length - 1 }, stream)
  })
  child.once('exit', (exitCode, signalCode) => send({ exit: { exitCode, signalCode } }))
}

/** Looks like a ChildProcess to Playwright, although another process is the parent. */
class HandedBrowser extends EventEmitter {
  stdio = [null, null, null, null, null]
  stdin = null
  exitCode = null
  signalCode = null
  killed = false
  connected = false

  constructor(pid) {
    super()
    this.pid = pid
  }

  get stdout() {
    return this.stdio[1]
  }

  get stderr() {
    return this.stdio[2]
  }

  kill(signal = 'SIGTERM') {
    if (this.exitCode !== null || this.signalCode !== null) return false
    this.killed = process.kill(this.pid, signal) || this.killed
    return true
  }

  ref() {}

  unref() {}

  /** Like Node: `close` comes after the exit and the end of all streams. */
  end({ exitCode, signalCode }) {
    Object.assign(this, { exitCode, signalCode })
    this.emit('exit', exitCode, signalCode)
    const streams = this.stdio.filter((stream) => stream && !stream.destroyed)
    let open = streams.length
    const close = () => open === 0 && this.emit('close', exitCode, signalCode)
    for (const stream of streams) {
      stream.once('close', () => {
        open -= 1
        close()
      })
      if (!stream.readableFlowing) stream.resume()
    }
    close()
  }
}

let browser = null
let facts = null

exports.receive = (message, stream) => {
  if (message.pid) {
    browser = new HandedBrowser(message.pid)
    facts = message.facts
  }
  if (stream) {
    browser.stdio[message.index] = stream
    if (message.buffered) stream.unshift(Buffer.from(message.buffered))
    stream.on('error', () => {})
  }
  if (message.isLast) spareBrowser.hold(browser, facts)
  if (message.exit) browser.end(message.exit)
}
