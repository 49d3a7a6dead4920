// The spare browser goes from the process that started it to the runner's worker: its pipes, and word of its end.
'use strict'
const { EventEmitter } = require('node:events')

const spareBrowser = require('./spare-browser.cjs')

exports.handOver = (worker) => {
  const held = spareBrowser.release()
  if (held === null) return
  const { child, facts } = held
  const tell = (message, stream) =>
    worker.send({ method: '__vedette_browser__', ...message }, stream, undefined, () => {})
  tell({ pid: child.pid, facts })
  child.stdio.forEach((stream, index) => {
    if (!stream) return
    const said = stream.read()?.toString()
    tell({ index, said, isLast: index === child.stdio.length - 1 }, stream)
  })
  child.once('exit', (exitCode, signalCode) => tell({ exit: { exitCode, signalCode } }))
}

/** A process that is another's child, as far as whoever launched it looks at it. */
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

  /** As Node does it: closed is what has ended and has been read to its end. */
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
    if (message.said) stream.unshift(Buffer.from(message.said))
    stream.on('error', () => {})
  }
  if (message.isLast) spareBrowser.hold(browser, facts)
  if (message.exit) browser.end(message.exit)
}
