// Loaded into every Node inside of a cell before anything else. The cell has no network but its own loopback: connections
// are asked of the agent, which resolves the name, applies its rules to the address and hands out a socket file that leads
// there. Plain JavaScript of an old kind: it runs on the Node of any runtime. The wall is the namespace, not this file.
'use strict'
const dns = require('node:dns')
const net = require('node:net')
const tls = require('node:tls')

const folder = process.env.VEDETTE_EGRESS
const direct = net.Socket.prototype.connect

if (folder) {
  route()
  leaveProxyToOthers()
}

/** For programs that are not Node: libraries that read it would speak to a proxy of a kind that they do not know. */
function leaveProxyToOthers() {
  const proxy = process.env.ALL_PROXY
  if (!proxy) return
  delete process.env.ALL_PROXY
  const { ChildProcess } = require('node:child_process')
  const spawn = ChildProcess.prototype.spawn
  ChildProcess.prototype.spawn = function (options) {
    const pairs = options?.envPairs
    if (pairs && !pairs.some((pair) => pair.startsWith('ALL_PROXY='))) pairs.push(`ALL_PROXY=${proxy}`)
    return spawn.call(this, options)
  }
}

function ask(question) {
  return new Promise((settle, fail) => {
    const socket = new net.Socket()
    let text = ''
    socket.setEncoding('utf8')
    socket.on('error', fail)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => {
      const [word, first = '', ...rest] = text.trim().split(' ')
      if (word === 'ok') settle(first)
      else fail(Object.assign(new Error(rest.join(' ') || 'the agent does not answer'), { code: first }))
    })
    direct.call(socket, { path: `${folder}/egress` })
    socket.write(`${question}\n`)
  })
}

const open = (host, port, family) => ask(`open ${family} ${port} ${host}`).then((name) => `${folder}/${name}`)
const resolve = (host, family) =>
  ask(`resolve ${family} ${host}`).then((list) => list.split(',').filter(Boolean))

const isLoopback = (host) =>
  /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|::ffff:127\.\d+\.\d+\.\d+)$/i.test(host)

/** What listens inside of the cell comes before what listens on the agent's machine. */
function listensInside(host, port) {
  return new Promise((settle) => {
    const probe = new net.Socket()
    probe.once('error', () => settle(false))
    probe.once('connect', () => {
      probe.destroy()
      settle(true)
    })
    direct.call(probe, { host: /^localhost$/i.test(host) ? '127.0.0.1' : host, port })
  })
}

/** The agent holds a connection for us that nobody wants any more: it ends with the one to the socket file. */
function giveBack(way) {
  if (!way.path) return
  const socket = new net.Socket()
  socket.on('error', () => {})
  socket.once('connect', () => socket.destroy())
  direct.call(socket, way)
}

/** A socket file ends where the connection behind it was reset: how it was is asked before anyone is told of an end. */
function tellResets(socket, name) {
  const push = socket.push
  let hasEnded = false
  socket.push = function (chunk, ...rest) {
    if (chunk !== null) return push.call(this, chunk, ...rest)
    if (hasEnded) return false
    hasEnded = true
    const end = () => push.call(this, null)
    const reset = () =>
      this.destroy(
        Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' }),
      )
    ask(`ended ${name}`).then((how) => (how === 'reset' ? reset() : end()), end)
    return false
  }
}

/** (options, cb), (port, host?, options?, cb) and (path, cb). */
function readArguments(args) {
  const listener = args.filter((arg) => typeof arg === 'function').pop()
  const options = {}
  const [first, second] = args
  if (typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))) options.port = first
  else if (typeof first === 'string') options.path = first
  if (typeof second === 'string') options.host = second
  for (const arg of args) if (typeof arg === 'object' && arg !== null) Object.assign(options, arg)
  return [options, listener]
}

function route() {
  net.Socket.prototype.connect = function connect(...args) {
    const [options, listener] = readArguments(Array.isArray(args[0]) ? args[0] : args)
    if (typeof options.path === 'string') return direct.apply(this, args)
    if (listener) this.once('connect', listener)
    this.connecting = true
    const host = String(options.host || 'localhost')
    const port = Number(options.port)
    const family = Number(options.family) || 0
    const begin = async () => {
      if (isLoopback(host) && (await listensInside(host, port))) return { host, port }
      return { path: await open(host, port, family) }
    }
    begin().then(
      (way) => {
        if (this.destroyed) return giveBack(way)
        // Connecting makes Node forget that all was said already.
        const hasEnded = this.writableEnded
        if (way.path) tellResets(this, way.path.slice(folder.length + 1))
        direct.call(this, way)
        if (hasEnded) this.end()
      },
      (error) => {
        this.connecting = false
        this.destroy(Object.assign(error, { syscall: 'connect', address: host, port }))
      },
    )
    return this
  }

  // Node decides on the kind of handle before it connects: TLS gets a connection that is opened already.
  const connectTls = tls.connect
  tls.connect = (...args) => {
    const [options, listener] = readArguments(args)
    if (options.socket || options.path) return connectTls(options, listener)
    const { host, port, family } = options
    const socket = net.connect({
      host: host || 'localhost',
      port: Number(port),
      ...(family ? { family } : {}),
    })
    const named = host && !net.isIP(host) && options.servername === undefined ? { servername: host } : {}
    const secure = connectTls({ ...named, ...options, socket }, listener)
    // Idle connections of a pool must not keep a process alive: Node does not pass that on to the one below.
    for (const name of ['ref', 'unref']) {
      const own = secure[name]
      secure[name] = function () {
        socket[name]()
        return own.call(this)
      }
    }
    return secure
  }

  routeLookups()
}

function routeLookups() {
  const lookup = async (host, given) => {
    const options = typeof given === 'object' && given !== null ? given : { family: given }
    const family = Number(String(options.family ?? 0).replace('IPv', '')) || 0
    const addresses = net.isIP(host) ? [host] : await resolve(String(host), family)
    const found = addresses.map((address) => ({ address, family: net.isIP(address) }))
    return { found, isAll: options.all === true }
  }
  const ofFamily = (family) => (host) => resolve(String(host), family)
  const withCallback =
    (find) =>
    (host, ...rest) => {
      const done = rest.pop()
      find(host).then(
        (found) => done(null, found),
        (error) => done(error),
      )
    }
  const any = (host, type) => {
    if (type === undefined || type === 'A') return resolve(String(host), 4)
    if (type === 'AAAA') return resolve(String(host), 6)
    return Promise.reject(
      Object.assign(new Error(`${type} records can not be asked for here`), { code: 'ENOTIMP' }),
    )
  }
  Object.assign(dns.promises, {
    lookup: async (host, options) => {
      const { found, isAll } = await lookup(host, options)
      return isAll ? found : found[0]
    },
    resolve: any,
    resolve4: ofFamily(4),
    resolve6: ofFamily(6),
  })
  Object.assign(dns, {
    lookup: (host, ...rest) => {
      const done = rest.pop()
      lookup(host, rest[0]).then(
        ({ found, isAll }) => (isAll ? done(null, found) : done(null, found[0]?.address, found[0]?.family)),
        (error) => done(error),
      )
    },
    resolve: (host, ...rest) => {
      const done = rest.pop()
      any(host, rest[0]).then(
        (found) => done(null, found),
        (error) => done(error),
      )
    },
    resolve4: withCallback(ofFamily(4)),
    resolve6: withCallback(ofFamily(6)),
  })
}
