// What the settings of an account show: members, keys, variables and so on, with a log of how they came about.
import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import { testCertificate, testPrivateKey } from './certificates.ts'
import { openBrowser, testPassword } from './sign-in.ts'

export interface SettingsScene {
  snippetId: number
  /** Of an invitation that nobody has accepted. */
  inviteToken: string
  /** Of a check that was deleted. */
  deletedCheckId: string
}

export async function createSettings(
  api: TestApi,
  { checkId, groupId }: { checkId: string; groupId: number },
): Promise<SettingsScene> {
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, text, body: made } = await api.alice.send(method, path, body)
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return made
  }
  const post = (path: string, body?: unknown) => send('POST', path, body)
  await api.store.pool.query(`update users set email = 'ann@acme.example' where id = $1`, [api.alice.userId])
  await send('PATCH', '/v1/users/me', { name: 'Ann Archer' })
  await send('PATCH', '/v1/accounts/me', { name: 'Acme' })
  const invite = async (email: string, role: string) => {
    const { link } = await post('/v1/accounts/me/invites', { email, role })
    return String(link).split('#')[1] ?? ''
  }
  for (const [name, email, role] of [
    ['Bob Baker', 'bob@acme.example', 'READ_WRITE'],
    ['Carol Chen', 'carol@acme.example', 'READ_RUN'],
  ] as const) {
    const token = await invite(email, role)
    const body = { name, password: testPassword }
    const accepted = await openBrowser(api).send('POST', `/v1/invitations/${token}`, body)
    expect(accepted.status, accepted.text).toBe(200)
    await send('PATCH', `/v1/accounts/me/members/${accepted.body.user.id}`, {
      role: role === 'READ_RUN' ? 'READ_ONLY' : 'ADMIN',
    })
  }
  const inviteToken = await invite('dan@acme.example', 'READ_ONLY')
  await post('/v1/service-api-keys', { name: 'Deploys', role: 'READ_RUN' })
  await post('/v1/service-api-keys', { name: 'Terraform', role: 'READ_WRITE' })
  await post('/v1/users/me/api-keys', { name: 'Laptop' })
  for (const [key, value, secret] of [
    ['BASE_URL', 'https://shop.example.com', false],
    ['CHECKOUT_REGION', 'eu-central-1', false],
    ['SHOP_PASSWORD', 'a secret of the scene', true],
    ['PAYMENT_TOKEN', 'another secret of the scene', true],
    ['LOCALE', 'en', false],
    ['SHOP_USER', 'monitor@acme.example', false],
  ] as const)
    await post('/v1/variables', { key, value, secret })
  await send('PUT', '/v1/variables/LOCALE', { value: 'de' })
  const script = [
    "const { createHmac } = require('node:crypto')",
    '',
    "const signature = createHmac('sha256', process.env.PAYMENT_TOKEN).update(request.body).digest('hex')",
    "request.headers['x-signature'] = signature",
  ].join('\n')
  const snippet = await post('/v1/snippets', { name: 'sign-request', script })
  await post('/v1/snippets', { name: 'sign-in', script: 'module.exports = async (page) => page.goto("/")' })
  await send('PUT', `/v1/snippets/${snippet.id}`, { script: script.replace('sha256', 'sha512') })
  await post('/v1/client-certificates', {
    ...{ host: '*.partner.example', cert: testCertificate, key: testPrivateKey },
  })
  await post(`/v1/triggers/checks/${checkId}`)
  await post(`/v1/triggers/check-groups/${groupId}`)
  await post('/v1/accounts/me/prometheus-tokens')
  const { id: deletedCheckId } = await post('/v1/checks/url', {
    ...{ name: 'Old landing page', locations: ['eu-central-1'] },
    request: { url: 'https://old.example.com' },
  })
  await send('DELETE', `/v1/checks/${deletedCheckId}`)
  const groups = await send('GET', `/v1/error-groups/checks/${checkId}`)
  for (const { id } of groups) await send('PATCH', `/v1/error-groups/${id}`, { archivedUntilNextEvent: true })
  const reader = await api.as('READ_ONLY')
  expect((await reader.delete(`/v1/checks/${checkId}`)).status).toBe(403)
  return { snippetId: snippet.id, inviteToken, deletedCheckId }
}
