import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'

/** A field with a typo never leads to a check that silently does less than requested. */
export function mistypedFields(scene: Scene): void {
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${scene.account.baseUrl}/v1/checks/url`, {
      method: 'POST',
      headers: { ...scene.account.headers, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        name: 'A typo',
        activated: true,
        request: { url: 'http://127.0.0.1/' },
        ...body,
      }),
    })

  it('is refused if it leaves the check without a location, and named in the response', async () => {
    const response = await post({ location: ['eu-west-1'] })
    expect(response.status).toBe(400)
    expect(response.headers.get('vedette-ignored')).toBe('body.location')
    const { message } = (await response.json()) as { message: string }
    expect(message).toContain('"locations" is empty and the check has no other location')
  })

  it('is ignored if the check can run anyway, and named in the response', async () => {
    const response = await post({ privateLocation: ['x'], locations: ['eu-west-1'], activated: false })
    expect(response.status).toBe(201)
    expect(response.headers.get('vedette-ignored')).toBe('body.privateLocation')
  })

  it('is refused with a suggestion when the client asks for strict handling', async () => {
    const body = { location: ['eu-west-1'], locations: ['eu-west-1'] }
    const response = await post(body, { prefer: 'handling=strict' })
    expect(response.status).toBe(400)
    expect(response.headers.get('preference-applied')).toBe('handling=strict')
    const { message } = (await response.json()) as { message: string }
    expect(message).toBe('"location" isn\'t a known field; did you mean "locations"?')
  })
}
