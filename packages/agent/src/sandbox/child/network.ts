// Connections of scripts. The sandbox has no network of its own: the agent is asked, which resolves the name, applies its
// rules to the address and hands out a socket file that leads there and nowhere else. Where the sandbox does have a
// network (no namespaces on this host), this is a convention and not a wall.
import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'

export interface Broker {
  open(host: string, port: number, family: number): Promise<string>
  resolve(host: string, family: number): Promise<string[]>
}

interface ConnectOptions {
  host?: string
  port?: number | string
  path?: string | null
  family?: number
  socket?: unknown
  [option: string]: unknown
}

type Callback = (...values: unknown[]) => void

export function routeConnections(broker: Broker): void {
  const connectToPath = net.Socket.prototype.connect as (this: net.Socket, options: object) => net.Socket

  function connect(this: net.Socket, ...args: unknown[]): net.Socket {
    const [options, listener] = readArguments(Array.isArray(args[0]) ? args[0] : args)
    if (listener) this.once('connect', listener)
    const mark = this as { connecting: boolean }
    mark.connecting = true
    const opening =
      typeof options.path === 'string'
        ? Promise.reject(new Error('socket files can not be reached from scripts'))
        : broker.open(String(options.host ?? 'localhost'), Number(options.port), options.family ?? 0)
    opening.then(
      (path) => {
        if (!this.destroyed) connectToPath.call(this, { path })
      },
      (error) => {
        mark.connecting = false
        this.destroy(error)
      },
    )
    return this
  }
  net.Socket.prototype.connect = connect as never

  // Node decides on the kind of handle before it connects: TLS gets a connection that is opened already.
  const connectTls = tls.connect as (options: object, listener?: Callback) => tls.TLSSocket
  tls.connect = ((...args: unknown[]) => {
    const [options, listener] = readArguments(args)
    if (options.socket) return connectTls(options, listener)
    const { host, port, family } = options
    const socket = net.connect({ host: host ?? 'localhost', port: Number(port), ...(family && { family }) })
    return connectTls({ ...options, socket }, listener)
  }) as never

  routeLookups(broker)
}

/** (options, cb), (port, host?, options?, cb) and (path, cb). */
function readArguments(args: readonly unknown[]): [ConnectOptions, Callback | undefined] {
  const listener = args.findLast((arg) => typeof arg === 'function') as Callback | undefined
  const options: ConnectOptions = {}
  const [first, second] = args
  if (typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))) options.port = first
  else if (typeof first === 'string') options.path = first
  if (typeof second === 'string') options.host = second
  for (const arg of args) if (typeof arg === 'object' && arg !== null) Object.assign(options, arg)
  return [options, listener]
}

function routeLookups(broker: Broker): void {
  const lookup = async (host: string, given: unknown) => {
    const options = (typeof given === 'object' && given !== null ? given : { family: given }) as {
      family?: number | string
      all?: boolean
    }
    const family = Number(String(options.family ?? 0).replace('IPv', '')) || 0
    const found = (await broker.resolve(String(host), family)).map((address) => ({
      address,
      family: net.isIP(address),
    }))
    return { found, isAll: options.all === true }
  }
  const resolve = (family: number) => (host: string) => broker.resolve(String(host), family)
  const withCallback =
    (find: (host: string) => Promise<string[]>) =>
    (host: string, ...rest: Callback[]) => {
      const done = rest.at(-1)
      find(host).then(
        (found) => done?.(null, found),
        (error) => done?.(error),
      )
    }
  Object.assign(dns.promises, {
    lookup: async (host: string, options?: unknown) => {
      const { found, isAll } = await lookup(host, options)
      return isAll ? found : found[0]
    },
    resolve4: resolve(4),
    resolve6: resolve(6),
  })
  Object.assign(dns, {
    lookup: (host: string, ...rest: unknown[]) => {
      const done = rest.at(-1) as Callback
      lookup(host, rest.length > 1 ? rest[0] : undefined).then(
        ({ found, isAll }) => (isAll ? done(null, found) : done(null, found[0]?.address, found[0]?.family)),
        (error) => done(error),
      )
    },
    resolve4: withCallback(resolve(4)),
    resolve6: withCallback(resolve(6)),
  })
}
