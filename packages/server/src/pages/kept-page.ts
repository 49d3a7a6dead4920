// What a page shows, together with its responses: each is rendered and compressed once, however many visitors ask for it.
import { ApiError } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ReadyBytes } from '../core/ready-bytes.ts'
import type { RenderedDocument } from './document.ts'

/** Bounds the memory of a page whose visitors ask for very different things. */
const maxRendered = 50
/** Some documents need more of the store than the content of the page. */
const renderTimeoutMs = 3_000

export class KeptPage<Content> {
  readonly content: Content
  readonly #rendered = new LRUCache<string, { bytes: ReadyBytes; headers: Record<string, string> }>({
    max: maxRendered,
  })

  constructor(content: Content) {
    this.content = content
  }

  /** `isPrivate`: only the visitor's own browser may keep it. `key` names everything that the document depends on besides the content. False: there is nothing to render. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { key, isPrivate }: { key: string; isPrivate: boolean },
    render: () => RenderedDocument | null | Promise<RenderedDocument | null>,
  ): Promise<boolean> {
    let response = this.#rendered.get(key)
    if (response === undefined) {
      const document = await inTime(render())
      if (document === null) return false
      response = { bytes: new ReadyBytes(document.text), headers: document.headers }
      this.#rendered.set(key, response)
    }
    reply
      .headers(response.headers)
      .header('cache-control', isPrivate ? 'private, no-store' : 'public, max-age=5, stale-if-error=300')
    const bytes = await response.bytes.choose(request, reply)
    // Not returned: a reply is a promise of its own end, and would resolve to nothing.
    reply.header('vary', 'accept-encoding, accept-language').send(bytes)
    return true
  }
}

async function inTime<T>(work: T | Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ApiError('unavailable')), renderTimeoutMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
