// Follows test sessions over a real connection, with runs of simulated agents.
import { reportLog } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteOldLogChunks } from '../../storage/runs/run-logs.ts'
import type { Caller } from '../../testing/api.ts'
import { refused, type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'

let sim: Simulation
let agent: SimulatedAgent
let agentKey: string
beforeAll(async () => {
  sim = await startSimulation()
  agent = sim.builtIn()
  agentKey = sim.api.builtInKey
})
afterAll(() => sim.close())

interface Followed {
  event: string
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the event holds
  data: any
}

/** Events of a stream, in order. */
class Stream {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''

  constructor(response: Response) {
    this.response = response
    const body = response.body as ReadableStream<Uint8Array>
    this.#reader = body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .getReader()
  }

  /** Null when the stream has ended. */
  async next(): Promise<Followed | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end === -1) {
        const { done, value } = await this.#reader.read()
        if (done) return null
        this.#text += value
        continue
      }
      const fields = Object.fromEntries(
        this.#text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      this.#text = this.#text.slice(end + 2)
      if (fields.event)
        return { event: fields.event, id: fields.id ?? '', data: JSON.parse(fields.data ?? 'null') }
    }
  }

  /** Until the stream ends. */
  async rest(): Promise<Followed[]> {
    const events: Followed[] = []
    for (let event = await this.next(); event !== null; event = await this.next()) events.push(event)
    return events
  }

  close(): Promise<void> {
    return this.#reader.cancel()
  }
}

async function follow(sessionId: string, lastId = '', by: Caller = sim.api.alice): Promise<Stream> {
  const headers = { authorization: `Bearer ${by.key}`, ...(lastId && { 'last-event-id': lastId }) }
  return new Stream(await fetch(`${sim.api.url}/v1/test-sessions/${sessionId}/events`, { headers }))
}

const browser = { checkType: 'BROWSER', name: 'Home', locations: ['eu-west-1'], script: 'x' }

async function start(more: object = {}, by: Caller = sim.api.alice): Promise<string> {
  sim.pass(60_000)
  const response = await by.post('/v1/test-sessions/drafts', {
    drafts: [{ check: browser }],
    ...more,
  })
  expect(response.status, response.text).toBe(201)
  return response.body.testSessionId
}

async function claim() {
  const [job] = await agent.claim({ freeCode: 1, checkTypes: ['BROWSER'], agentName: 'box' })
  if (job === undefined) throw new Error('expected a job')
  return job
}

const line = (msg: string) => ({ time: 1, level: 'INFO', msg })

async function sendLog(token: string, firstLine: number, ...texts: string[]): Promise<boolean> {
  const body = { token, firstLine, lines: texts.map(line) }
  const headers = { authorization: `Bearer ${agentKey}` }
  const response = await sim.api.alice.send('POST', reportLog.path, body, headers)
  expect(response.status, response.text).toBe(200)
  return response.body.isWanted
}

describe('GET events', () => {
  it('follows a run from the queue to its end, with its lines and its retry, and then closes', async () => {
    const sessionId = await start({ retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 } })
    const stream = await follow(sessionId)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const states: string[] = []
    const texts: string[] = []
    const note = async () => {
      const { event, data } = (await stream.next()) as Followed
      for (const { state, attempt } of data.runs) states.push(`${state} ${attempt}`)
      for (const { lines } of data.logs) for (const { msg } of lines) texts.push(msg)
      return { event, data }
    }
    expect(await note()).toMatchObject({
      event: 'progress',
      data: {
        status: 'RUNNING',
        stoppedAt: null,
        runs: [{ name: 'Home', runLocation: 'eu-west-1' }],
        logs: [],
      },
    })
    const first = await claim()
    expect(first.streamLogs).toBe(true)
    await agent.renew([first])
    expect(await sendLog(first.token, 0, 'one', 'two')).toBe(true)
    // Its agent got no response.
    expect(await sendLog(first.token, 0, 'one', 'two')).toBe(true)
    // What happens in quick succession comes in one event or in two.
    const noteUntil = async (state: string) => {
      while (states.at(-1) !== state) await note()
    }
    await noteUntil('running 1')
    await agent.report({ ...first, ...refused })
    await noteUntil('retrying 2')
    const second = await claim()
    await sendLog(second.token, 0, 'again')
    await noteUntil('running 2')
    await agent.report(second)
    let last = await note()
    while (last.event !== 'end') last = await note()
    expect(last.data).toMatchObject({ status: 'PASSED', stoppedAt: expect.any(String) })
    expect(await stream.next()).toBeNull()
    expect(states).toEqual(['waiting 0', 'running 1', 'retrying 2', 'running 2', 'ended 2'])
    expect(texts).toEqual(['one', 'two', 'again'])
  })

  it('resumes after the last event: all runs again, and only the lines after it', async () => {
    const sessionId = await start()
    const job = await claim()
    await sendLog(job.token, 0, 'one')
    const before = await follow(sessionId)
    const seen = await before.next()
    await before.close()
    await sendLog(job.token, 1, 'two')
    const stream = await follow(sessionId, seen?.id)
    expect((await stream.next())?.data).toMatchObject({
      runs: [{ state: 'running' }],
      logs: [{ sequenceId: job.runId, attempt: 1, lines: [line('two')] }],
    })
    await agent.report(job)
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'end', data: { status: 'PASSED' } })
    const ended = await follow(sessionId)
    const events = await ended.rest()
    expect(events.map(({ event }) => event)).toEqual(['progress', 'end'])
    expect(events[0]?.data.logs).toHaveLength(2)
    await deleteOldLogChunks(sim.api.store.pool, sim.now() + 1)
    expect((await (await follow(sessionId)).rest()).map(({ event }) => event)).toEqual(['end'])
  })

  it('ends when the session is canceled, and lines that come later are not wanted', async () => {
    const sessionId = await start()
    const job = await claim()
    const stream = await follow(sessionId)
    await stream.next()
    await sim.api.alice.post(`/v1/test-sessions/${sessionId}/cancel`)
    const events = await stream.rest()
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'CANCELLED' } })
    // With the end, or just before it.
    expect(events.flatMap(({ data }) => data.runs)).toMatchObject([{ state: 'ended', status: 'CANCELLED' }])
    expect(await sendLog(job.token, 0, 'late')).toBe(false)
  })

  it('closes when the key is revoked', async () => {
    const sessionId = await start()
    const { body: key } = await sim.api.alice.post('/v1/service-api-keys', { name: 'CI', role: 'READ_ONLY' })
    const stream = await follow(sessionId, '', { ...sim.api.alice, key: key.rawKey ?? key.key })
    expect((await stream.next())?.event).toBe('progress')
    await sim.api.alice.delete(`/v1/service-api-keys/${key.id}`)
    expect(await stream.rest()).toEqual([])
    await sim.api.alice.post(`/v1/test-sessions/${sessionId}/cancel`)
  })

  it('404 for another account, 429 for too many streams', async () => {
    const owner = await sim.api.newAccount()
    const sessionId = await start({}, owner)
    expect((await follow(sessionId, '', sim.api.bob)).response.status).toBe(404)
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(sessionId, '', owner)))
    for (const stream of streams) expect(await stream.next()).toMatchObject({ event: 'progress' })
    expect((await follow(sessionId, '', owner)).response.status).toBe(429)
    await owner.post(`/v1/test-sessions/${sessionId}/cancel`)
    for (const stream of streams) expect((await stream.rest()).at(-1)?.event).toBe('end')
    expect((await follow(sessionId, '', owner)).response.status).toBe(200)
  })
})

describe('POST /agent/v1/logs', () => {
  it('takes a bounded number of lines for each claim of a run, from its own agent only', async () => {
    const sessionId = await start()
    const job = await claim()
    const large = 'x'.repeat(9_000)
    let sent = 0
    while (await sendLog(job.token, sent, ...new Array(10).fill(large))) sent += 10
    expect(sent).toBe(50)
    expect(await sendLog(`${job.token}x`, 0, 'forged')).toBe(false)
    const { rows } = await sim.api.store.pool.query(
      'select sum(bytes) as bytes from run_log_chunks where test_session_id = $1',
      [sessionId],
    )
    expect(rows[0].bytes).toBeLessThan(500_000)
    await agent.report(job)
  })

  it('starts anew when the run is handed out again', async () => {
    const sessionId = await start()
    const lost = await claim()
    await sendLog(lost.token, 0, 'of the lost agent')
    sim.pass(31_000)
    const job = await claim()
    expect(job.runId).toBe(lost.runId)
    expect(await sendLog(lost.token, 1, 'still there')).toBe(false)
    expect(await sendLog(job.token, 0, 'of the next agent')).toBe(true)
    await agent.report(job)
    const logs = (await (await follow(sessionId)).rest()).flatMap(({ data }) => data.logs)
    expect(logs.flatMap(({ lines }) => lines)).toEqual([line('of the lost agent'), line('of the next agent')])
  })
})
