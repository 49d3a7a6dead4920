import { describe, expect, it } from 'vitest'
import { listSnippets } from '../index.ts'
import { ClientError, createClient } from './client.ts'

async function errorOf(response: Response): Promise<unknown> {
  const client = createClient({ baseUrl: 'http://localhost', fetch: async () => response })
  return client.call(listSnippets).catch((error: unknown) => error)
}

describe('a response that is an error', () => {
  it('says when the server wants to be asked again', async () => {
    const error = await errorOf(new Response('', { status: 429, headers: { 'retry-after': '12' } }))
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ status: 429, retryAfterMs: 12_000 })
  })

  it('may not say it', async () => {
    expect(await errorOf(new Response('', { status: 503 }))).toMatchObject({ retryAfterMs: null })
  })
})
