import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { giveTestPassword, openBrowser } from '../../testing/sign-in.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const monitor = (values: Record<string, unknown> = {}) => ({
  name: 'Shop',
  locations: ['eu-west-1'],
  request: { url: 'https://shop.example.com' },
  ...values,
})

async function logOf(resourceId: string) {
  const { body } = await api.alice.get(`/v1/audit-log?resourceId=${resourceId}`)
  return body.entries
}

describe('the audit log', () => {
  it('has who created, changed and deleted a resource, with both values', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', monitor())
    await api.alice.put(`/v1/checks/url/${check.id}`, {
      name: 'Webshop',
      request: { url: 'https://b.example.com' },
    })
    await api.alice.delete(`/v1/checks/${check.id}`)
    const [deleted, updated, created] = await logOf(check.id)
    const user = { kind: 'user', id: api.alice.userId, name: 'Owner' }
    expect(created).toMatchObject({
      ...{ action: 'create', outcome: 'done', operation: 'POST /v1/checks/url', actor: user, source: 'api' },
      resource: { kind: 'Checks', id: check.id, name: 'Shop' },
    })
    expect(created.changes).toContainEqual({
      ...{ field: 'request.url', before: null, after: 'https://shop.example.com' },
    })
    expect(updated).toMatchObject({ action: 'update', outcome: 'done', actor: user })
    expect(updated.changes).toEqual([
      { field: 'name', before: 'Shop', after: 'Webshop' },
      { field: 'request.url', before: 'https://shop.example.com', after: 'https://b.example.com' },
    ])
    expect(deleted).toMatchObject({ action: 'delete', outcome: 'done', resource: { name: 'Webshop' } })
    expect(deleted.changes).toContainEqual({ field: 'name', before: 'Webshop', after: null })
  })

  it('has the role of a member before and after, and who was removed', async () => {
    const userId = await api.addMember(api.alice.accountId, 'READ_ONLY')
    await api.alice.patch(`/v1/accounts/me/members/${userId}`, { role: 'ADMIN' })
    await api.alice.delete(`/v1/accounts/me/members/${userId}`)
    const [removed, changed] = await logOf(userId)
    expect(changed.changes).toEqual([{ field: 'role', before: 'READ_ONLY', after: 'ADMIN' }])
    expect(removed).toMatchObject({ action: 'delete', resource: { name: expect.any(String) } })
  })

  it('names a variable by its key, from the beginning', async () => {
    await api.alice.post('/v1/variables', { key: 'REGION', value: 'eu' })
    await api.alice.put('/v1/variables/REGION', { value: 'us' })
    const [changed, created] = await logOf('REGION')
    expect(created).toMatchObject({ action: 'create', resource: { id: 'REGION', name: 'REGION' } })
    expect(changed.changes).toEqual([{ field: 'value', before: 'eu', after: 'us' }])
  })

  it('names what has no route of its own, without its key', async () => {
    const { body: key } = await api.alice.post('/v1/service-api-keys', {
      name: 'Deploys',
      role: 'READ_WRITE',
    })
    await api.alice.delete(`/v1/service-api-keys/${key.id}`)
    const [deleted] = await logOf(key.id)
    expect(deleted).toMatchObject({ action: 'delete', resource: { name: 'Deploys' }, changes: [] })
  })

  it('does not show what readers may not read', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', monitor())
    const { body: trigger } = await api.alice.post(`/v1/triggers/checks/${check.id}`)
    await api.alice.delete(`/v1/triggers/checks/${check.id}`)
    expect(JSON.stringify(await logOf(check.id))).not.toContain(trigger.token)
  })

  it('names keys and clients', async () => {
    const key = await api.as('READ_WRITE')
    const sent = await key.send(
      'POST',
      '/v1/snippets',
      { name: 'x', script: '1' },
      { 'x-checkly-source': 'CLI' },
    )
    const [entry] = await logOf(String(sent.body.id))
    expect(entry).toMatchObject({ source: 'cli', actor: { kind: 'service-key', name: 'READ_WRITE' } })
  })

  it('never has a secret', async () => {
    const secret = 'the-secret-of-alice'
    await api.alice.post('/v1/variables', { key: 'TOKEN', value: secret, secret: true })
    await api.alice.put('/v1/variables/TOKEN', { key: 'TOKEN', value: `${secret}-2`, secret: true })
    const config = { name: 'Hook', url: 'https://example.com', method: 'POST', webhookSecret: secret }
    await api.alice.post('/v1/alert-channels', { type: 'WEBHOOK', config })
    await api.alice.post('/v1/checks/api', {
      ...monitor({ name: 'API' }),
      request: {
        method: 'GET',
        url: 'https://a.example.com',
        basicAuth: { username: 'u', password: secret },
      },
      environmentVariables: [{ key: 'K', value: secret, locked: true }],
    })
    const { rows } = await api.store.pool.query('select to_jsonb(e)::text as text from audit_entries e')
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.map(({ text }) => text).join()).not.toContain(secret)
  })

  it('has no entry of what was refused as invalid or missing', async () => {
    const { body: before } = await api.alice.get('/v1/audit-log')
    expect((await api.alice.post('/v1/checks/url', { name: 1 })).status).toBe(400)
    expect((await api.alice.delete('/v1/snippets/999999')).status).toBe(404)
    const { body: after } = await api.alice.get('/v1/audit-log')
    expect(after.length).toBe(before.length)
  })

  it('has requests that the role does not allow, at most ten a minute', async () => {
    const reader = await api.as('READ_ONLY')
    for (let index = 0; index < 12; index++) {
      expect((await reader.post('/v1/snippets', { name: 'no', script: '1' })).status).toBe(403)
    }
    const { body } = await api.alice.get('/v1/audit-log?limit=100')
    const refused = body.entries.filter((entry: { outcome: string }) => entry.outcome === 'refused')
    expect(refused).toHaveLength(10)
    expect(refused[0]).toMatchObject({ operation: 'POST /v1/snippets', actor: { kind: 'service-key' } })
  })

  it('is kept for a change that the server did not survive', async () => {
    const { body: snippet } = await api.alice.post('/v1/snippets', { name: 'cut', script: '1' })
    await api.store.pool.query(`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''no''; end'`)
    await api.store.pool.query(
      'create trigger refuse before update on audit_entries for each row execute function refuse()',
    )
    expect((await api.alice.put(`/v1/snippets/${snippet.id}`, { name: 'cut2' })).status).toBe(200)
    await api.store.pool.query('drop function refuse cascade')
    const [entry] = await logOf(String(snippet.id))
    expect(entry).toMatchObject({ action: 'update', outcome: 'unknown', changes: [] })
  })

  it('has sign-ins, refused ones, and keys that people create', async () => {
    const email = await giveTestPassword(api, api.alice.userId)
    const browser = openBrowser(api)
    expect((await browser.signIn(email, 'a wrong password')).status).toBe(401)
    const ofSignIn = async () => (await api.alice.get('/v1/audit-log?limit=3')).body.entries
    await expect.poll(async () => (await ofSignIn())[0]).toMatchObject({ outcome: 'refused' })
    expect((await browser.signIn(email)).status).toBe(200)
    expect((await browser.send('POST', '/v1/users/me/api-keys', { name: 'mine' })).status).toBe(201)
    const actor = { kind: 'user', id: api.alice.userId }
    expect(await ofSignIn()).toMatchObject([
      { operation: 'POST /v1/users/me/api-keys', source: 'app', outcome: 'done', actor },
      { operation: 'POST /v1/sign-in', outcome: 'done', actor },
      { operation: 'POST /v1/sign-in', outcome: 'refused', actor },
    ])
  })

  it('is for admins as a whole, and for readers of one resource', async () => {
    const [reader, admin] = [await api.as('READ_ONLY'), await api.as('ADMIN')]
    expect((await reader.get('/v1/audit-log')).status).toBe(403)
    expect((await reader.get('/v1/audit-log?resourceId=1')).status).toBe(200)
    expect((await admin.get('/v1/audit-log?action=delete')).status).toBe(200)
  })

  it('of another account is empty', async () => {
    const { body: snippet } = await api.alice.post('/v1/snippets', { name: 'mine', script: '1' })
    expect((await api.bob.get(`/v1/audit-log?resourceId=${snippet.id}`)).body.entries).toEqual([])
    expect((await api.bob.get('/v1/audit-log')).body.length).toBe(0)
  })

  it('is filtered by kind and outcome', async () => {
    const { body } = await api.alice.get('/v1/audit-log?kind=Snippets&outcome=refused&limit=100')
    expect(body.entries.length).toBeGreaterThan(0)
    for (const entry of body.entries)
      expect(entry).toMatchObject({ outcome: 'refused', resource: { kind: 'Snippets' } })
  })

  it('is filtered by actor and time, and read page by page', async () => {
    const { body: first } = await api.alice.get(`/v1/audit-log?limit=2&actorId=${api.alice.userId}`)
    expect(first.entries).toHaveLength(2)
    const { body: next } = await api.alice.get(
      `/v1/audit-log?limit=2&actorId=${api.alice.userId}&nextId=${first.nextId}`,
    )
    expect(next.entries[0].id).not.toBe(first.entries[1].id)
    expect((await api.alice.get('/v1/audit-log?to=1000')).body.entries).toEqual([])
  })
})
