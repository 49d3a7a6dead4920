// Connections of scripts. The sandbox has no network: the agent resolves the name, checks the address and creates a socket
// file for the connection. On a host without namespaces the sandbox has a network, and nothing enforces this.
import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'

export interface Broker {
  open(host: string, port: number, family: number): Promise<string>
  resolve(host: string, family: number): Promise<string[]>
}

type ConnectOptions = tls.ConnectionOptions & { family?: number }
type Callback = (...values: unknown[]) => void

const isCallback = (value: unknown): value is Callback => typeof value === 'function'

export function routeConnections(broker: Broker): void {
  const connectToPath = net.Socket.prototype.connect

  function connect(this: net.Socket, ...args: unknown[]): net.Socket {
    const [options, listener] = readArguments(Array.isArray(args[0]) ? args[0] : args)
    if (listener) this.once('connect', listener)
    Object.assign(this, { connecting: true })
    const opening =
      typeof options.path === 'string'
        ? Promise.reject(new Error("scripts can't connect to socket files"))
        : broker.open(String(options.host ?? 'localhost'), Number(options.port), options.family ?? 0)
    opening.then(
      (path) => {
        if (!this.destroyed) connectToPath.call(this, path)
      },
      (error) => {
        Object.assign(this, { connecting: false })
        this.destroy(error)
      },
    )
    return this
  }
  Object.assign(net.Socket.prototype, { connect })

  // Node chooses the kind of handle before it connects, so TLS gets an open connection.
  const connectTls = tls.connect
  const connectThroughBroker = (...args: unknown[]) => {
    const [options, listener] = readArguments(args)
    if (options.socket) return connectTls(options, listener)
    const { host, port, family } = options
    const socket = net.connect({ host: host ?? 'localhost', port: Number(port), ...(family && { family }) })
    return connectTls({ ...options, socket }, listener)
  }
  Object.assign(tls, { connect: connectThroughBroker })

  routeLookups(broker)
}

/** (options, cb), (port, host?, options?, cb) and (path, cb). */
function readArguments(args: readonly unknown[]): [ConnectOptions, Callback | undefined] {
  const listener = args.findLast(isCallback)
  const options: ConnectOptions = {}
  const [first, second] = args
  if (typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first)))
    options.port = Number(first)
  else if (typeof first === 'string') options.path = first
  if (typeof second === 'string') options.host = second
  for (const arg of args) if (typeof arg === 'object' && arg !== null) Object.assign(options, arg)
  return [options, listener]
}

function routeLookups(broker: Broker): void {
  const lookup = async (host: string, given: unknown) => {
    const options: { family?: unknown; all?: unknown } =
      typeof given === 'object' && given !== null ? given : { family: given }
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
      const done = rest.findLast(isCallback)
      lookup(host, rest.length > 1 ? rest[0] : undefined).then(
        ({ found, isAll }) =>
          isAll ? done?.(null, found) : done?.(null, found[0]?.address, found[0]?.family),
        (error) => done?.(error),
      )
    },
    resolve4: withCallback(resolve(4)),
    resolve6: withCallback(resolve(6)),
  })
}
