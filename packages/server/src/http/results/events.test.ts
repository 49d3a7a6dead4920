import { type IncomingMessage, request } from 'node:http'
import { checkTypes, OverviewChange } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'
import { giveTestPassword, openBrowser } from '../../testing/sign-in.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

interface Received {
  event: string
  id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the data of any event
  data: any
}

interface Stream {
  status: number
  /** The next event of this kind; null: the stream has ended. */
  next(event?: string): Promise<Received | null>
  end(): void
}

async function open(caller: Caller, query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const all = caller.key === '' ? headers : { authorization: `Bearer ${caller.key}`, ...headers }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A connection of its own, which ends with the stream.
    const options = { agent: false, headers: all }
    request(`${api.url}/v1/events?${query}`, options, resolve).once('error', reject).end()
  })
  const events = parse(response.setEncoding('utf8'))
  return {
    status: response.statusCode ?? 0,
    async next(event) {
      for (;;) {
        const { value, done } = await events.next()
        if (done) return null
        if (event === undefined || value.event === event) return value
      }
    },
    end: () => response.destroy(),
  }
}

async function* parse(chunks: AsyncIterable<string>): AsyncGenerator<Received, void> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text.slice(0, end))?.[1]
      const [event, id, data] = [fieldOf('event'), fieldOf('id'), fieldOf('data')]
      text = text.slice(end + 2)
      if (event !== undefined && data !== undefined) yield { event, id, data: JSON.parse(data) }
    }
  }
}

const newCheck = async (caller: Caller, name: string): Promise<string> =>
  (await caller.post('/v1/checks/api', { ...checkTypes.API.example, name })).body.id

let slot = Date.now() - 60_000
function run(caller: Caller, checkId: string, hasFailures = false): Promise<string[]> {
  slot += 10
  const failure = { kind: 'connect', message: 'connection refused', phase: 'connect' } as const
  const result = { accountId: caller.accountId, checkId, scheduledAt: slot, hasFailures }
  return insertResults(api.store, [{ ...result, failure: hasFailures ? failure : null }], Date.now())
}

describe.concurrent('GET /v1/events', () => {
  it('200: sends watched checks in full, and of others the number', async () => {
    const owner = await api.newAccount()
    const [watched, other] = [await newCheck(owner, 'watched'), await newCheck(owner, 'other')]
    const stream = await open(owner, `checkIds=${watched}`)
    expect(stream.status).toBe(200)
    const first = await stream.next()
    expect(first).toMatchObject({ event: 'change', data: { counts: { unknown: 2 }, changed: 0 } })
    expect(OverviewChange.safeParse(first?.data).error).toBeUndefined()
    expect(first?.data.checks).toMatchObject([{ id: watched, state: 'unknown', runs: [] }])
    await run(owner, watched)
    await run(owner, other, true)
    const second = await stream.next('change')
    expect(OverviewChange.safeParse(second?.data).error).toBeUndefined()
    const seen = [second]
    while (seen.at(-1)?.data.counts.failing !== 1) seen.push(await stream.next('change'))
    const checks = seen.flatMap((event) => event?.data.checks)
    expect(checks.at(-1)).toMatchObject({ id: watched, state: 'passing', runs: [{ state: 'passing' }] })
    expect(seen.reduce((sum, event) => sum + event?.data.changed, 0)).toBe(1)
    const { body: listed } = await owner.get('/v1/overview/checks?query=watched')
    expect(checks.at(-1)).toEqual({
      ...listed.entries[0],
      nextRunAt: checks.at(-1).nextRunAt,
      availability24h: checks.at(-1).availability24h,
      availability7d: checks.at(-1).availability7d,
      p95: checks.at(-1).p95,
    })
    expect(Number(seen.at(-1)?.id)).toBeGreaterThan(Number(first?.id))
    await owner.delete(`/v1/checks/${other}`)
    expect((await stream.next('change'))?.data).toMatchObject({
      checks: [],
      changed: 1,
      counts: { failing: 0 },
    })
    stream.end()
  })

  it('200: sends alerts and incidents once, and repeats them after Last-Event-ID', async () => {
    const owner = await api.newAccount()
    const id = await newCheck(owner, 'shop')
    await run(owner, id)
    const [stream, another] = [await open(owner), await open(owner)]
    const first = await stream.next('change')
    await another.next('change')
    await run(owner, id, true)
    const alert = {
      kind: 'alert',
      text: 'shop is failing: connection refused',
      state: 'failing',
      checkId: id,
    }
    expect((await stream.next('alert'))?.data).toMatchObject(alert)
    expect((await another.next('alert'))?.data).toMatchObject(alert)
    const { body: service } = await owner.post('/v1/status-pages/services', { name: 'Shop' })
    await owner.post('/v1/status-pages/incidents', {
      ...{ name: 'Down', severity: 'MAJOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'Looking' }],
    })
    // The next event of this kind is the incident: the alert isn't sent again.
    const following = async () => {
      for (;;) {
        const event = await stream.next()
        if (event?.event !== 'change') return event
      }
    }
    expect(await following()).toMatchObject({
      event: 'incident',
      data: { text: 'Incident "Down": being investigated' },
    })
    stream.end()
    another.end()
    const resumed = await open(owner, `checkIds=${id}`, { 'last-event-id': String(first?.id) })
    const repeated = [await resumed.next(), await resumed.next(), await resumed.next()]
    expect(repeated.map((event) => event?.event)).toEqual(['alert', 'incident', 'change'])
    expect(repeated[2]?.data).toMatchObject({ checks: [{ id, state: 'failing' }], counts: { failing: 1 } })
    resumed.end()
    for (const tooOld of [String(Date.now() - 3_600_000), 'x']) {
      const late = await open(owner, '', { 'last-event-id': tooOld })
      expect(await late.next()).toMatchObject({ event: 'reload' })
      late.end()
    }
  })

  it('sends nothing of another account, and refuses strangers', async () => {
    const id = await newCheck(api.alice, 'hers')
    const stream = await open(api.bob, `checkIds=${id}`)
    expect((await stream.next())?.data).toMatchObject({ checks: [], changed: 0, counts: { unknown: 0 } })
    stream.end()
    expect((await api.nobody.get('/v1/events')).status).toBe(401)
    expect((await api.bob.get('/v1/events?checkIds=x')).status).toBe(400)
    const ofAlice = { 'x-service-account': api.alice.accountId }
    expect((await api.bob.send('GET', '/v1/events', undefined, ofAlice)).status).toBe(404)
  })

  it('ends when the key is revoked, or its user loses the account', async () => {
    const owner = await api.newAccount()
    const { body: service } = await owner.post('/v1/service-api-keys', { name: 'Wall', role: 'READ_ONLY' })
    const stream = await open({ ...owner, key: service.rawKey })
    await stream.next()
    await owner.delete(`/v1/service-api-keys/${service.id}`)
    expect(await stream.next('end')).toBeNull()
    const own = await open(owner)
    await own.next()
    await api.store.pool.query('delete from memberships where account_id = $1', [owner.accountId])
    expect(await own.next('end')).toBeNull()
  })

  it('ends when the role of the user changes', async () => {
    const owner = await api.newAccount()
    const own = await open(owner)
    await own.next()
    await api.store.pool.query(`update memberships set role = 'READ_ONLY' where account_id = $1`, [
      owner.accountId,
    ])
    expect(await own.next('end')).toBeNull()
  })

  it('ends with the sign-in', async () => {
    const owner = await api.newAccount()
    const browser = openBrowser(api)
    await browser.signIn(await giveTestPassword(api, owner.userId))
    const headers = { cookie: browser.cookie, 'x-vedette-app': '1', origin: api.url }
    const stream = await open({ ...owner, key: '' }, '', headers)
    expect(stream.status).toBe(200)
    await stream.next()
    expect((await browser.send('DELETE', '/v1/sign-in')).status).toBe(204)
    expect(await stream.next('end')).toBeNull()
  })

  it('cuts off a client that does not read', async () => {
    const owner = await api.newAccount()
    const id = await newCheck(owner, 'large')
    const headers = { authorization: `Bearer ${owner.key}` }
    const closed = new Promise((resolve) => {
      request(`${api.url}/v1/events?checkIds=${id}`, { agent: false, headers }, (response) => {
        response.pause()
        response.socket.once('close', resolve)
      })
        .once('error', resolve)
        .end()
    })
    // Larger than what the system buffers, and changed whenever the stream looks.
    const text = "update checks set name = repeat('x', 3000000) || random() where id = $1"
    const changes = setInterval(() => api.store.pool.query(text, [id]).catch(() => undefined), 200)
    await closed
    clearInterval(changes)
    expect((await owner.get('/v1/check-statuses')).status).toBe(200)
  })
})

describe('closing the server', () => {
  it('ends streams at once', async () => {
    const other = await startTestApi()
    const headers = { authorization: `Bearer ${other.alice.key}` }
    const response = await fetch(`${other.url}/v1/events`, { headers })
    const read = response.text()
    await other.close()
    expect(await read).not.toContain('event: reload')
    expect(response.status).toBe(200)
  })
})
