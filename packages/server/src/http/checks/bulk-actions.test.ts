import { randomUUID } from 'node:crypto'
import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/bulk-actions'

async function create(caller: Caller, changes: object = {}): Promise<string> {
  const response = await caller.post('/v1/checks/url', { ...checkTypes.URL.example, ...changes })
  expect(response).toMatchObject({ status: 201 })
  return response.body.id
}

const read = async (caller: Caller, id: string) => (await caller.get(`/v1/checks/${id}`)).body
const byIds = (checkIds: string[]) => ({ selection: { checkIds } })

/** Carries out what a response says undoes it. */
async function undo(caller: Caller, actions: object[]) {
  for (const action of actions) expect((await caller.post(path, action)).status).toBe(200)
}

describe('POST /v1/bulk-actions', () => {
  it('200: pauses and resumes, leaving what already is so', async () => {
    const owner = await api.newAccount()
    const [active, paused] = [await create(owner), await create(owner, { activated: false })]
    const { body } = await owner.post(path, { action: 'pause', ...byIds([active, paused]) })
    expect(body).toMatchObject({ summary: 'Paused 1 check', total: 2, changed: 1, unchanged: 1, failed: 0 })
    expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['changed', 'unchanged'])
    expect((await read(owner, active)).activated).toBe(false)
    await undo(owner, body.undo)
    expect((await read(owner, active)).activated).toBe(true)
    expect((await read(owner, paused)).activated).toBe(false)
  })

  it('200: mutes for a time, and undoes it to what each check was', async () => {
    const owner = await api.newAccount()
    const soon = new Date(Date.now() + 60_000).toISOString()
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const ids = [
      await create(owner),
      await create(owner, { mutedUntil: soon }),
      await create(owner, { muted: true }),
    ]
    const { body } = await owner.post(path, { action: 'mute', mutedUntil: later, ...byIds(ids) })
    expect(body).toMatchObject({ changed: 2, unchanged: 1 })
    const states = async () =>
      (await Promise.all(ids.map((id) => read(owner, id)))).map(({ muted, mutedUntil }) => [
        muted,
        mutedUntil,
      ])
    expect(await states()).toEqual([
      [false, later],
      [false, later],
      [true, null],
    ])
    await undo(owner, body.undo)
    expect(await states()).toEqual([
      [false, null],
      [false, soon],
      [true, null],
    ])
    expect((await owner.post(path, { action: 'unmute', ...byIds(ids) })).body.changed).toBe(2)
  })

  it('200: adds and removes tags, and undoes both', async () => {
    const owner = await api.newAccount()
    const ids = [await create(owner, { tags: ['a'] }), await create(owner, { tags: ['b'] })]
    const tags = async () => Promise.all(ids.map(async (id) => (await read(owner, id)).tags))
    const added = (await owner.post(path, { action: 'addTags', tags: ['b', 'c'], ...byIds(ids) })).body
    expect(await tags()).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ])
    await undo(owner, added.undo)
    expect(await tags()).toEqual([['a'], ['b']])
    const removed = (await owner.post(path, { action: 'removeTags', tags: ['a'], ...byIds(ids) })).body
    expect(removed).toMatchObject({ changed: 1, unchanged: 1 })
    await undo(owner, removed.undo)
    expect(await tags()).toEqual([['a'], ['b']])
  })

  it('200, 400: moves checks into a group of the account, with a warning about its locations', async () => {
    const owner = await api.newAccount()
    const id = await create(owner)
    const group = { name: 'Shop', locations: ['us-east-1'] }
    const { body: shop } = await owner.post('/v1/check-groups', group)
    const move = (groupId: number | null, dryRun = false) =>
      owner.post(path, { action: 'moveToGroup', groupId, dryRun, ...byIds([id]) })
    expect((await move(shop.id, true)).body.warnings).toEqual([
      'They will run in the locations of the group Shop.',
    ])
    expect((await read(owner, id)).groupId).toBeNull()
    expect((await move(shop.id)).body).toMatchObject({ changed: 1, undo: [] })
    expect((await read(owner, id)).groupId).toBe(shop.id)
    expect((await move(null)).body.changed).toBe(1)
    const { body: foreign } = await api.bob.post('/v1/check-groups', group)
    expect(await move(foreign.id)).toMatchObject({
      status: 400,
      body: { attributes: { groupId: 'does not exist' } },
    })
  })

  it('200: one check that is refused has a reason, and does not keep the others from the change', async () => {
    const owner = await api.newAccount()
    const placed = await create(owner, { activated: false })
    const stranded = await create(owner, { activated: false, locations: [], privateLocations: [] })
    const { body } = await owner.post(path, { action: 'resume', ...byIds([stranded, placed]) })
    expect(body).toMatchObject({ total: 2, changed: 1, failed: 1 })
    expect(body.items[0]).toMatchObject({ checkId: stranded, outcome: 'failed' })
    expect(body.items[0].reason).toContain('locations is empty')
    expect((await read(owner, placed)).activated).toBe(true)
  })

  it('200: ids of another account fail one by one, and nothing of it changes', async () => {
    const foreign = await create(api.bob)
    const [own, unknown] = [await create(api.alice), randomUUID()]
    const selected = byIds([foreign, own, unknown])
    for (const action of ['mute', 'pause', 'run']) {
      const { status, body } = await api.alice.post(path, { action, ...selected })
      expect(status).toBe(200)
      expect(body).toMatchObject({ total: 1, failed: action === 'run' ? 3 : 2 })
      expect(body.items[0]).toEqual({
        ...{ checkId: foreign, name: null, outcome: 'failed', reason: 'The account has no such check.' },
      })
    }
    const deletion = { action: 'delete', expectedCount: 1, ...selected }
    expect((await api.alice.post(path, deletion)).body).toMatchObject({ changed: 1, failed: 2 })
    expect(await read(api.bob, foreign)).toMatchObject({ activated: true, muted: false })
  })

  it('200, 400, 409: deletes only as many as are expected', async () => {
    const owner = await api.newAccount()
    const ids = [await create(owner), await create(owner)]
    const deletion = { action: 'delete', ...byIds(ids) }
    const preview = await owner.post(path, { ...deletion, dryRun: true })
    expect(preview.body).toMatchObject({ summary: 'Would delete 2 checks', changed: 2, undo: [] })
    expect(preview.body.warnings[0]).toContain('can’t be undone')
    expect((await owner.post(path, deletion)).body.attributes).toHaveProperty('expectedCount')
    expect((await owner.post(path, { ...deletion, expectedCount: 3 })).status).toBe(409)
    expect((await owner.get('/v1/checks')).body).toHaveLength(2)
    expect((await owner.post(path, { ...deletion, expectedCount: 2 })).body.changed).toBe(2)
    expect((await owner.get('/v1/checks')).body).toEqual([])
  })

  it('200: selects by the filters of the overview', async () => {
    const owner = await api.newAccount()
    const tagged = await create(owner, { tags: ['shop'] })
    const other = await create(owner)
    const action = { action: 'pause', selection: { filter: { tag: ['shop'], type: ['URL'] } } }
    expect((await owner.post(path, { ...action, dryRun: true })).body.items).toEqual([
      { checkId: tagged, name: checkTypes.URL.example.name, outcome: 'changed', reason: null },
    ])
    expect((await owner.post(path, { ...action, expectedCount: 1 })).body.changed).toBe(1)
    expect((await read(owner, other)).activated).toBe(true)
    expect((await owner.post(path, { action: 'resume', selection: { filter: {} } })).body.total).toBe(2)
  })

  it('200: runs what can run, and says what cannot', async () => {
    const owner = await api.newAccount()
    const heartbeat = await owner.post('/v1/checks/heartbeat', checkTypes.HEARTBEAT.example)
    const ids = [await create(owner), await create(owner, { activated: false }), heartbeat.body.id]
    const preview = (await owner.post(path, { action: 'run', dryRun: true, ...byIds(ids) })).body
    const { body } = await owner.post(path, { action: 'run', ...byIds(ids) })
    expect(body).toMatchObject({ summary: 'Started 1 check', changed: 1, failed: 2 })
    expect(body.items).toEqual(preview.items)
    expect(body.items.map(({ reason }: { reason: string | null }) => reason)).toEqual([
      null,
      'It is paused.',
      'Heartbeat monitors wait for pings.',
    ])
  })

  it('403, 400: needs READ_WRITE for all but runs; refuses a time in the past and unknown actions', async () => {
    const id = await create(api.alice)
    const runner = await api.as('READ_RUN')
    expect((await runner.post(path, { action: 'run', ...byIds([id]) })).status).toBe(200)
    expect((await runner.post(path, { action: 'pause', ...byIds([id]) })).status).toBe(403)
    const past = new Date(Date.now() - 1000).toISOString()
    expect((await api.alice.post(path, { action: 'mute', mutedUntil: past, ...byIds([id]) })).status).toBe(
      400,
    )
    expect((await api.alice.post(path, { action: 'paint', ...byIds([id]) })).status).toBe(400)
    expect((await api.alice.post(path, { action: 'pause', ...byIds([]) })).status).toBe(400)
  })

  it('leaves an entry in the audit log for the action and for each check, but none for a preview', async () => {
    const id = await create(api.alice)
    await api.alice.post(path, { action: 'pause', dryRun: true, ...byIds([id]) })
    await api.alice.post(path, { action: 'pause', ...byIds([id]) })
    const { body } = await api.alice.get(`/v1/audit-log?resourceId=${id}`)
    expect(body.entries).toHaveLength(2)
    expect(body.entries.map(({ action }: { action: string }) => action).sort()).toEqual(['create', 'update'])
    const [entry] = body.entries.filter(({ action }: { action: string }) => action === 'update')
    expect(entry).toMatchObject({ operation: 'POST /v1/bulk-actions', summary: 'Paused 1 check' })
  })

  it('200: 2,500 checks, in three batches', async () => {
    const owner = await api.newAccount()
    const id = await create(owner)
    await api.store.pool.query(
      `insert into checks select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'name', c.name || n))).*
       from checks c cross join generate_series(1, 2499) n where c.id = $1`,
      [id],
    )
    const selection = { filter: {} }
    const { body } = await owner.post(path, { action: 'addTags', tags: ['many'], selection })
    expect(body).toMatchObject({ total: 2500, changed: 2500, failed: 0 })
    await undo(owner, body.undo)
    expect((await owner.get('/v1/checks?tag=many')).body).toEqual([])
  })
})
