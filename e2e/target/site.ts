// A site whose responses are set for each path while it runs.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'
import { type Listener, listen, wait } from './listen.ts'

export interface Behavior {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
  /** The response waits for it. */
  after?: Promise<unknown>
  /** The pause between the bytes of the body. */
  dripMs?: number
  /** reset: the connection is reset within the body. half-open: the request is read, and no response comes. */
  fault?: 'reset' | 'half-open'
  /** Requests with this header get a 403. */
  blocks?: { header: string; value: string }
  /** Requires basic authentication as this user. */
  user?: { username: string; password: string }
}

export interface SeenRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: string
  /** The name on the client's certificate, if it is valid. */
  clientName: string | null
}

export interface SiteOptions {
  /** `clientAuthority`: clients without a certificate of it get a 403. */
  tls?: Certificate & { clientAuthority?: string }
}

export class Site {
  readonly requests: SeenRequest[] = []
  readonly #behaviors = new Map<string, Behavior[]>()
  readonly #listener: Listener
  #tls: SiteOptions['tls']

  private constructor(listener: Listener, tls: SiteOptions['tls']) {
    this.#listener = listener
    this.#tls = tls
  }

  static async open({ tls }: SiteOptions = {}): Promise<Site> {
    let site: Site | null = null
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      site?.serve(request, response).catch(() => response.destroy())
    }
    const make = (): Server => {
      // Read again for each listen: the certificate may have changed.
      const shown = site === null ? tls : site.#tls
      if (!shown) return createServer(serve)
      const { clientAuthority, ...own } = shown
      const asks = clientAuthority && { requestCert: true, rejectUnauthorized: false, ca: clientAuthority }
      return createTlsServer({ ...own, ...asks }, serve)
    }
    site = new Site(await listen(make), tls)
    return site
  }

  get port(): number {
    return this.#listener.port
  }

  url(path = '/', host = 'localhost'): string {
    return `${this.#tls ? 'https' : 'http'}://${host}:${this.port}${path}`
  }

  /** The behavior for the next requests, one each; the last one stays. Other paths respond with 200. */
  on(path: string, ...behaviors: Behavior[]): void {
    this.#behaviors.set(path, behaviors)
  }

  /** Responses of this path wait until the function is called. */
  hold(path: string, behavior: Behavior = {}): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.on(path, { ...behavior, after: promise })
    return resolve
  }

  seen(path: string): SeenRequest[] {
    return this.requests.filter((request) => request.path === path)
  }

  /** Stops listening. The port stays reserved, so that it can listen again. */
  shut = () => this.#listener.close()
  reopen = () => this.#listener.open()

  /** Uses another certificate from now on. */
  async present(certificate: Certificate): Promise<void> {
    await this.shut()
    this.#tls = { ...this.#tls, ...certificate }
    await this.reopen()
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://site')
    const behaviors = this.#behaviors.get(url.pathname) ?? []
    const behavior = (behaviors.length > 1 ? behaviors.shift() : behaviors[0]) ?? {}
    const clientName = clientNameOf(request)
    this.requests.push({
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await bodyOf(request),
      clientName,
    })
    if (behavior.fault === 'half-open') return
    await wait(behavior.delayMs)
    await behavior.after
    if (this.#tls?.clientAuthority && clientName === null) {
      response.writeHead(403).end('no certificate')
      return
    }
    const { blocks } = behavior
    if (blocks && request.headers[blocks.header] === blocks.value) {
      response.writeHead(403).end('not from there')
      return
    }
    if (!isAuthorized(request, behavior)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="site"' }).end('who are you?')
      return
    }
    const { status = 200, headers = {}, body = 'all is well' } = behavior
    response.writeHead(status, { 'content-type': 'text/plain', ...headers })
    if (behavior.fault === 'reset') {
      response.write(body, () => response.socket?.resetAndDestroy())
      return
    }
    for (const byte of behavior.dripMs ? body : []) {
      response.write(byte)
      await wait(behavior.dripMs)
    }
    response.end(behavior.dripMs ? undefined : body)
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function clientNameOf({ socket }: IncomingMessage): string | null {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>
  return authorized ? ((getPeerCertificate?.call(socket)?.subject.CN as string | undefined) ?? null) : null
}

function isAuthorized({ headers }: IncomingMessage, { user }: Behavior): boolean {
  if (!user) return true
  const expected = Buffer.from(`${user.username}:${user.password}`).toString('base64')
  return headers.authorization === `Basic ${expected}`
}
