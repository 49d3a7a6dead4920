// A site that is broken on purpose: what it does is set path by path while it runs.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'
import { type Listener, listen, wait } from './listen.ts'

export interface Behaviour {
  status?: number
  headers?: Record<string, string>
  body?: string
  delayMs?: number
  /** The body comes byte by byte, with this pause between two. */
  dripMs?: number
  /** reset: the connection breaks off inside the body. half-open: the request is read, and nothing ever comes back. */
  fault?: 'reset' | 'half-open'
  /** Who says this in a header is turned away with 403. */
  blocks?: { header: string; value: string }
  /** Only this user comes in, by basic authentication. */
  user?: { username: string; password: string }
}

export interface SeenRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: string
  /** The name on the client's certificate, once it was found good. */
  clientName: string | null
}

export interface SiteOptions {
  /** `clientAuthority`: who comes without a certificate of it is turned away with 403. */
  tls?: Certificate & { clientAuthority?: string }
}

export class Site {
  readonly requests: SeenRequest[] = []
  readonly #behaviours = new Map<string, Behaviour[]>()
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
      // Asked anew at each opening: the certificate may be another by then.
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

  /** From now on: one request after the other, and the last one stays. Other paths answer 200. */
  on(path: string, ...behaviours: Behaviour[]): void {
    this.#behaviours.set(path, behaviours)
  }

  seen(path: string): SeenRequest[] {
    return this.requests.filter((request) => request.path === path)
  }

  /** Nobody listens any more, and the port stays ours to listen on again. */
  shut = () => this.#listener.close()
  reopen = () => this.#listener.open()

  /** Shows another certificate from now on. */
  async present(certificate: Certificate): Promise<void> {
    await this.shut()
    this.#tls = { ...this.#tls, ...certificate }
    await this.reopen()
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://site')
    const behaviours = this.#behaviours.get(url.pathname) ?? []
    const behaviour = (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) ?? {}
    const clientName = clientNameOf(request)
    this.requests.push({
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await bodyOf(request),
      clientName,
    })
    if (behaviour.fault === 'half-open') return
    await wait(behaviour.delayMs)
    if (this.#tls?.clientAuthority && clientName === null) {
      response.writeHead(403).end('no certificate')
      return
    }
    const { blocks } = behaviour
    if (blocks && request.headers[blocks.header] === blocks.value) {
      response.writeHead(403).end('not from there')
      return
    }
    if (!isLetIn(request, behaviour)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="site"' }).end('who are you?')
      return
    }
    const { status = 200, headers = {}, body = 'all is well' } = behaviour
    response.writeHead(status, { 'content-type': 'text/plain', ...headers })
    if (behaviour.fault === 'reset') {
      response.write(body, () => response.socket?.resetAndDestroy())
      return
    }
    for (const byte of behaviour.dripMs ? body : []) {
      response.write(byte)
      await wait(behaviour.dripMs)
    }
    response.end(behaviour.dripMs ? undefined : body)
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

function isLetIn({ headers }: IncomingMessage, { user }: Behaviour): boolean {
  if (!user) return true
  const expected = Buffer.from(`${user.username}:${user.password}`).toString('base64')
  return headers.authorization === `Basic ${expected}`
}
