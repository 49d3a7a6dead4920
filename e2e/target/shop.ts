// A shop with pages, sessions, forms, and an API whose requests build on each other. Switches
// break it on purpose.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { echoSocket } from './echo-socket.ts'
import { type Listener, listen, wait } from './listen.ts'
import { handleApi } from './shop-api.ts'
import { handlePage, notFound } from './shop-site.ts'
import {
  allWell,
  type ShopOrders,
  type ShopRequest,
  type ShopSession,
  type ShopSwitches,
} from './shop-state.ts'

export class Shop {
  readonly requests: ShopRequest[] = []
  readonly orders: ShopOrders = new Map()
  readonly #sessions = new Map<string, ShopSession>()
  #switches = allWell
  #listener: Listener | null = null

  static async open(): Promise<Shop> {
    const shop = new Shop()
    shop.#listener = await listen(() => {
      const server = createServer((request, response) => {
        shop.#serve(request, response).catch(() => response.destroy())
      })
      return server.on('upgrade', echoSocket)
    })
    return shop
  }

  get port(): number {
    return this.#listener?.port as number
  }

  url(path = '', host = 'localhost'): string {
    return `http://${host}:${this.port}${path}`
  }

  /** Replaces all switches from now on; absent ones are off. */
  breaks(switches: Partial<ShopSwitches>): void {
    this.#switches = { ...allWell, ...switches }
  }

  fix(): void {
    this.#switches = allWell
  }

  seen(path: string): ShopRequest[] {
    return this.requests.filter((request) => request.path === path)
  }

  /** Stops listening. The port stays reserved, so that it can listen again. */
  shut = async () => this.#listener?.close()
  reopen = async () => this.#listener?.open()

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url ?? '/', 'http://shop')
    const shopRequest: ShopRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    this.requests.push(shopRequest)
    const { id, session } = this.#sessionOf(shopRequest)
    if (!shopRequest.path.startsWith('/assets/')) await wait(this.#switches.delayMs)
    const shopResponse =
      handleApi(shopRequest, session, this.#switches, this.orders) ??
      handlePage(shopRequest, session, this.#switches, this.orders) ??
      notFound
    const { status = 200, type = 'text/html; charset=utf-8', headers = {}, body = '' } = shopResponse
    response.writeHead(status, {
      'content-type': type,
      'set-cookie': `session=${id}; Path=/; HttpOnly`,
      ...headers,
    })
    response.end(body)
  }

  #sessionOf({ headers }: ShopRequest): { id: string; session: ShopSession } {
    const known = /\bsession=([\w-]+)/.exec(headers.cookie ?? '')?.[1]
    const id = known !== undefined && this.#sessions.has(known) ? known : randomUUID()
    const session = this.#sessions.get(id) ?? { cart: [], userName: null }
    this.#sessions.set(id, session)
    return { id, session }
  }
}
