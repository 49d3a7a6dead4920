// Preloaded into every Node process of a cell. The cell has no network but its own loopback: this file requests connections
// from the agent, which resolves the name, checks the address and creates a socket file for the connection. Plain JavaScript,
// since it runs on the Node of any runtime. The namespace isolates the cell, not this file.
'use strict'
const dns = require('node:dns')
const net = require('node:net')
const tls = require('node:tls')

const folder = process.env.VEDETTE_EGRESS
const direct = net.Socket.prototype.connect

if (folder) {
  route()
  hideProxyFromNode()
}

/** ALL_PROXY is for other programs: libraries of Node that read it may not support SOCKS. */
function hideProxyFromNode() {
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

function request(line) {
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
      else fail(Object.assign(new Error(rest.join(' ') || "the agent doesn't respond"), { code: first }))
    })
    direct.call(socket, { path: `${folder}/egress` })
    socket.write(`${line}\n`)
  })
}

const open = (host, port, family) =>
  request(`open ${family} ${port} ${host}`).then((name) => `${folder}/${name}`)
const resolve = (host, family) =>
  request(`resolve ${family} ${host}`).then((list) => list.split(',').filter(Boolean))

const isLoopback = (host) =>
  /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|::ffff:127\.\d+\.\d+\.\d+)$/i.test(host)

/** Listeners in the cell take precedence over listeners on the agent's machine. */
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

/** Closes a connection that the agent opened but is no longer needed, through its socket file. */
function release(target) {
  if (!target.path) return
  const socket = new net.Socket()
  socket.on('error', () => {})
  socket.once('connect', () => socket.destroy())
  direct.call(socket, target)
}

/** A socket file ends even if its connection was reset: before the end is passed on, the agent says which it was. */
function reportResets(socket, name) {
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
    request(`ended ${name}`).then((how) => (how === 'reset' ? reset() : end()), end)
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
      (target) => {
        if (this.destroyed) return release(target)
        // Connecting resets the state of the writable side.
        const hasEnded = this.writableEnded
        if (target.path) reportResets(this, target.path.slice(folder.length + 1))
        direct.call(this, target)
        if (hasEnded) this.end()
      },
      (error) => {
        this.connecting = false
        this.destroy(Object.assign(error, { syscall: 'connect', address: host, port }))
      },
    )
    return this
  }

  // Node chooses the kind of handle before it connects, so TLS gets an open connection.
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
    // Idle connections of a pool must not keep a process alive: Node doesn't pass ref and unref on to the socket below.
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
    return options.all === true ? found : found[0]
  }
  const any = async (host, type = 'A') => {
    if (type === 'A') return resolve(String(host), 4)
    if (type === 'AAAA') return resolve(String(host), 6)
    throw Object.assign(new Error(`${type} records can't be queried here`), { code: 'ENOTIMP' })
  }
  const resolvers = {
    resolve: any,
    resolve4: (host) => any(host, 'A'),
    resolve6: (host) => any(host, 'AAAA'),
  }
  Object.assign(dns.promises, { lookup, ...resolvers })
  for (const [name, find] of Object.entries(resolvers)) {
    dns[name] = (...args) => {
      const done = args.pop()
      find(...args).then((found) => done(null, found), done)
    }
  }
  dns.lookup = (host, ...rest) => {
    const done = rest.pop()
    lookup(host, rest[0]).then(
      (found) => (Array.isArray(found) ? done(null, found) : done(null, found?.address, found?.family)),
      done,
    )
  }
}
