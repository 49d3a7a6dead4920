// A fetch client typed by the routes: client.call(createSnippet, { body }).
import type { z } from 'zod'
import type { ErrorBody } from './errors.ts'
import type { AnyRoute, ResponseOf } from './route.ts'

export interface ClientOptions {
  baseUrl: string
  apiKey?: string
  accountId?: string
  /** Of a call; absent: that of fetch. */
  timeoutMs?: number
  /** Sees each response before its body is read. */
  onResponse?: (response: Response) => void
  fetch?: typeof fetch
}

type Input<S> = z.input<Extract<S, z.ZodType>>

export interface CallInput<R> {
  params?: R extends { params?: infer P } ? Input<P> : never
  query?: R extends { query?: infer Q } ? Partial<Input<Q>> : never
  body?: R extends { body?: infer B } ? Input<B> : never
}

export class ClientError extends Error {
  readonly status: number
  readonly body: ErrorBody | undefined
  /** When the server wants to be asked again; null: it doesn't say. */
  readonly retryAfterMs: number | null

  constructor(status: number, body: ErrorBody | undefined, retryAfter: string | null = null) {
    super(body?.message ?? `The server responded with ${status}`)
    this.name = 'ClientError'
    this.status = status
    this.body = body
    this.retryAfterMs = retryAfter === null ? null : Number(retryAfter) * 1000
  }
}

export interface Client {
  call<R extends AnyRoute>(route: R, input?: CallInput<R>): Promise<ResponseOf<R>>
}

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return {
    async call(route, input = {}) {
      const headers: Record<string, string> = { accept: 'application/json' }
      if (options.apiKey !== undefined) headers.authorization = `Bearer ${options.apiKey}`
      if (options.accountId !== undefined) headers['x-service-account'] = options.accountId
      const init: RequestInit = { method: route.method, headers }
      if (options.timeoutMs !== undefined) init.signal = AbortSignal.timeout(options.timeoutMs)
      if (input.body !== undefined) {
        headers['content-type'] = 'application/json'
        init.body = JSON.stringify(input.body)
      }
      const response = await send(
        options.baseUrl + fillPath(route.path, input.params) + queryString(input.query),
        init,
      )
      options.onResponse?.(response)
      const contentType = response.headers.get('content-type') ?? ''
      if (response.ok && contentType.startsWith('application/octet-stream'))
        return new Uint8Array(await response.arrayBuffer())
      const text = await response.text()
      const isJson = contentType.includes('json')
      if (!response.ok) {
        const body = isJson ? JSON.parse(text) : undefined
        throw new ClientError(response.status, body, response.headers.get('retry-after'))
      }
      if (text === '') return undefined
      return isJson ? JSON.parse(text) : text
    },
  }
}

export function fillPath(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function queryString(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
