import { randomUUID } from 'node:crypto'
import type { Role } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertServiceKey, insertUserKey } from '../../storage/accounts/api-keys.ts'
import { insertMembership, insertUser } from '../../storage/accounts/users.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { giveTestPassword, openBrowser } from '../../testing/sign-in.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function addMember(owner: Caller, role: Role, name: string) {
  const { db } = api.store
  const user = await insertUser(db, { id: randomUUID(), name, email: `${name}-${randomUUID()}@example.com` })
  await insertMembership(db, { account_id: owner.accountId, user_id: user.id, role })
  const { rawKey } = await insertUserKey(db, user.id, 'test')
  return { ...user, as: { authorization: `Bearer ${rawKey}` } }
}

let invites = 0

async function addInvite(owner: Caller, email: string, expiresAt: string) {
  await api.store.db
    .insertInto('invites')
    .values({
      id: randomUUID(),
      account_id: owner.accountId,
      email,
      role: 'READ_RUN',
      inviter_email: 'owner@example.com',
      // Apart by more than the clock's grain, so that their order is known.
      created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, invites++)),
      expires_at: expiresAt,
    })
    .execute()
}

describe('GET /v1/accounts/me/members and /v1/accounts/{accountId}/members', () => {
  it('200: all of them without a limit, members before invites', async () => {
    const owner = await api.newAccount()
    await addInvite(owner, 'soon@example.com', '2999-01-01T00:00:00Z')
    await addInvite(owner, 'late@example.com', '2020-01-01T00:00:00Z')
    const carol = await addMember(owner, 'READ_ONLY', 'Carol')
    const { status, body } = await owner.get('/v1/accounts/me/members')
    expect(status).toBe(200)
    expect(body).toMatchObject({ length: 4, nextId: null })
    expect(body.members.map(({ type }: { type: string }) => type)).toEqual([
      'member',
      'member',
      'invite',
      'invite',
    ])
    expect(body.members[1]).toEqual({
      type: 'member',
      accountId: owner.accountId,
      userId: carol.id,
      name: 'Carol',
      email: carol.email,
      role: 'READ_ONLY',
      status: 'ACTIVE',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      isSupportMembership: false,
      ssoEnabled: false,
      mfaEnabled: false,
    })
    expect(body.members.slice(2)).toMatchObject([
      { email: 'soon@example.com', status: 'PENDING', role: 'READ_RUN', inviterEmail: 'owner@example.com' },
      { email: 'late@example.com', status: 'EXPIRED', expiresAt: '2020-01-01T00:00:00.000Z' },
    ])
    expect((await owner.get(`/v1/accounts/${owner.accountId}/members`)).body).toEqual(body)
  })

  it('200: cursors visit all of them, each once', async () => {
    const owner = await api.newAccount()
    for (const name of ['a', 'b', 'c', 'd']) await addMember(owner, 'READ_WRITE', name)
    await addInvite(owner, 'x@example.com', '2999-01-01T00:00:00Z')
    await addInvite(owner, 'y@example.com', '2999-01-01T00:00:00Z')
    const all = (await owner.get('/v1/accounts/me/members')).body.members
    const seen: unknown[] = []
    let next = ''
    do {
      const { body } = await owner.get(`/v1/accounts/me/members?limit=3${next}`)
      expect(body.length).toBe(7)
      seen.push(...body.members)
      next = body.nextId === null ? '' : `&nextId=${body.nextId}`
    } while (next !== '')
    expect(seen).toEqual(all)
  })

  it('200: filters by type, role, status and part of a name or address', async () => {
    const owner = await api.newAccount()
    await addMember(owner, 'READ_RUN', 'Dora')
    await addMember(owner, 'READ_WRITE', 'Émile')
    await addInvite(owner, 'dora.soon@example.com', '2999-01-01T00:00:00Z')
    const count = async (query: string) => (await owner.get(`/v1/accounts/me/members?${query}`)).body.length
    expect(await count('type=invite')).toBe(1)
    expect(await count('type=member')).toBe(3)
    expect(await count('role=READ_RUN')).toBe(2)
    expect(await count('status=PENDING')).toBe(1)
    expect(await count('status=ACTIVE&role=READ_WRITE')).toBe(1)
    expect(await count('search=DORA')).toBe(2)
    expect(await count('search=DORA&type=member')).toBe(1)
    expect(await count(`search=${encodeURIComponent('émi')}`)).toBe(1)
    expect(await count('search=%25')).toBe(0)
  })

  it('400: names every wrong parameter, and an invalid cursor', async () => {
    const { status, body } = await api.alice.get(
      '/v1/accounts/me/members?limit=0&type=robot&role=KING&status=GONE',
    )
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['limit', 'role', 'status', 'type'])
    for (const nextId of ['nonsense', 'member.99999999999999999.x', `member.1.${'0'.repeat(36)}`]) {
      expect(
        (await api.alice.get(`/v1/accounts/me/members?nextId=${nextId}`)).body.attributes,
      ).toHaveProperty('nextId')
    }
  })

  it("404: another's account", async () => {
    expect((await api.bob.get(`/v1/accounts/${api.alice.accountId}/members`)).status).toBe(404)
  })
})

describe('PATCH /v1/accounts/me/members/{userId} and /v1/accounts/{accountId}/members/{userId}', () => {
  it('200: the new role applies at once to the keys of that member', async () => {
    const owner = await api.newAccount()
    const carol = await addMember(owner, 'READ_ONLY', 'Carol')
    const create = () => api.nobody.send('POST', '/v1/snippets', { name: 's', script: '' }, carol.as)
    expect((await create()).status).toBe(403)
    const promoted = await owner.patch(`/v1/accounts/me/members/${carol.id}`, { role: 'READ_WRITE' })
    expect(promoted.status).toBe(200)
    expect(promoted.body).toMatchObject({ type: 'member', userId: carol.id, role: 'READ_WRITE' })
    expect((await create()).status).toBe(201)
    const path = `/v1/accounts/${owner.accountId}/members/${carol.id}`
    expect((await owner.patch(path, { role: 'READ_RUN' })).body.role).toBe('READ_RUN')
    expect((await create()).status).toBe(403)
  })

  it("400: a member can't be made an owner", async () => {
    const owner = await api.newAccount()
    const carol = await addMember(owner, 'ADMIN', 'Carol')
    const { status, body } = await owner.patch(`/v1/accounts/me/members/${carol.id}`, { role: 'OWNER' })
    expect(status).toBe(400)
    expect(body.attributes).toHaveProperty('role')
  })

  it('403: needs ADMIN, and an owner to change an owner', async () => {
    const owner = await api.newAccount()
    const carol = await addMember(owner, 'OWNER', 'Carol')
    const admin = await addMember(owner, 'ADMIN', 'Adam')
    const writer = await addMember(owner, 'READ_WRITE', 'Will')
    const paths = [
      `/v1/accounts/me/members/${carol.id}`,
      `/v1/accounts/${owner.accountId}/members/${carol.id}`,
    ]
    for (const path of paths) {
      for (const { as } of [admin, writer]) {
        expect((await api.nobody.send('PATCH', path, { role: 'READ_ONLY' }, as)).status).toBe(403)
        expect((await api.nobody.send('DELETE', path, undefined, as)).status).toBe(403)
      }
    }
    const lesser = `/v1/accounts/me/members/${writer.id}`
    expect((await api.nobody.send('PATCH', lesser, { role: 'READ_ONLY' }, admin.as)).status).toBe(200)
  })

  it("404: a user that isn't a member, or an account without a role", async () => {
    const path = `/v1/accounts/me/members/${api.bob.userId}`
    expect((await api.alice.patch(path, { role: 'READ_ONLY' })).status).toBe(404)
    const foreign = `/v1/accounts/${api.alice.accountId}/members/${api.alice.userId}`
    expect((await api.bob.patch(foreign, { role: 'READ_ONLY' })).status).toBe(404)
  })

  it('409: the last owner stays owner', async () => {
    const owner = await api.newAccount()
    const { status, body } = await owner.patch(`/v1/accounts/me/members/${owner.userId}`, { role: 'ADMIN' })
    expect(status).toBe(409)
    expect(body.message).toMatch(/last owner/)
  })
})

describe('DELETE /v1/accounts/me/members/{userId} and /v1/accounts/{accountId}/members/{userId}', () => {
  it('204: the keys of the member lose access to the account', async () => {
    const owner = await api.newAccount()
    const carol = await addMember(owner, 'READ_ONLY', 'Carol')
    const dave = await addMember(owner, 'READ_ONLY', 'Dave')
    const read = () => api.nobody.send('GET', `/v1/accounts/${owner.accountId}`, undefined, carol.as)
    expect((await read()).status).toBe(200)
    expect((await owner.delete(`/v1/accounts/me/members/${carol.id}`)).status).toBe(204)
    expect((await read()).status).toBe(404)
    const path = `/v1/accounts/${owner.accountId}/members/${dave.id}`
    expect((await owner.delete(path)).status).toBe(204)
    expect((await owner.delete(path)).status).toBe(404)
  })

  it("404: another's account", async () => {
    const path = `/v1/accounts/${api.alice.accountId}/members/${api.alice.userId}`
    expect((await api.bob.delete(path)).status).toBe(404)
  })

  it('409: of two owners who remove each other concurrently, one stays', async () => {
    const owner = await api.newAccount()
    const carol = await addMember(owner, 'OWNER', 'Carol')
    const [one, other] = await Promise.all([
      owner.delete(`/v1/accounts/me/members/${carol.id}`),
      api.nobody.send('DELETE', `/v1/accounts/me/members/${owner.userId}`, undefined, carol.as),
    ])
    const statuses = [one.status, other.status]
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    // A service key works whichever of the two is left.
    const key = await insertServiceKey(api.store.db, owner.accountId, 'READ_ONLY', 'reader')
    const left = await api.nobody.send('GET', '/v1/accounts/me/members', undefined, {
      authorization: `Bearer ${key.rawKey}`,
    })
    expect(left.body.members).toMatchObject([{ role: 'OWNER' }])
  })
})

it('403: by a sign-in, removing a member needs a password that was entered lately; by a key it does not', async () => {
  let now = Date.now()
  const own = await startTestApi({}, { now: () => now })
  try {
    const userId = await own.addMember(own.alice.accountId, 'READ_ONLY')
    const browser = openBrowser(own)
    await browser.signIn(await giveTestPassword(own, own.alice.userId))
    now += 11 * 60_000
    const refused = await browser.send('DELETE', `/v1/accounts/me/members/${userId}`)
    expect([refused.status, refused.body.attributes.code]).toEqual([403, 'confirmation_required'])
    expect((await own.alice.get(`/v1/accounts/me/members/${userId}`)).body.role).toBe('READ_ONLY')
    expect((await own.alice.delete(`/v1/accounts/me/members/${userId}`)).status).toBe(204)
    expect((await own.alice.get(`/v1/accounts/me/members/${userId}`)).status).toBe(404)
  } finally {
    await own.close()
  }
})
