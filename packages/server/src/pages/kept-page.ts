// What a page shows, together with its responses: each is rendered and compressed once, however many visitors ask for it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ReadyBytes } from '../core/ready-bytes.ts'
import type { RenderedDocument } from './document.ts'

/** Bounds the memory of a page whose visitors ask for very different things. */
const maxRendered = 50

export class KeptPage<Content> {
  readonly content: Content
  readonly #rendered = new Map<string, { bytes: ReadyBytes; headers: Record<string, string> }>()

  constructor(content: Content) {
    this.content = content
  }

  /** `isPrivate`: only the visitor's own browser may keep it. `key` names everything that the document depends on besides the content. Null: there is nothing to render. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { key, isPrivate }: { key: string; isPrivate: boolean },
    render: () => RenderedDocument | null | Promise<RenderedDocument | null>,
  ): Promise<FastifyReply | null> {
    let response = this.#rendered.get(key)
    if (response === undefined) {
      const document = await render()
      if (document === null) return null
      response = { bytes: new ReadyBytes(document.text), headers: document.headers }
      if (this.#rendered.size < maxRendered) this.#rendered.set(key, response)
    }
    reply
      .headers(response.headers)
      .header('cache-control', isPrivate ? 'private, no-store' : 'public, max-age=5, stale-if-error=300')
    const bytes = await response.bytes.choose(request, reply)
    return reply.header('vary', 'accept-encoding, accept-language').send(bytes)
  }
}
