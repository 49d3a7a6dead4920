// Clients that read and change checks and start sessions all the time. Every call has to succeed at once: nothing is tried again.
import { Agent, request } from 'node:http'
import { runningCheckSessionStatuses } from '@vedette/contracts'
import { pause } from '../fleet.ts'
import type { Api } from '../load.ts'

export interface ApiClients {
  calls(): number
  /** How long calls took, in milliseconds, sorted. */
  times(): number[]
  /** Sessions that were started; each has passed, unless it is among the faults. */
  sessions(): number
  faults: string[]
  stop(): Promise<void>
}

export interface ApiClientOptions {
  api: Api
  /** Check that sessions run. */
  checkId: string
  region: string
  /** The pause between two calls of a client. */
  pauseMs: number
}

const readers = 3
const editors = 2
const timeoutMs = 30_000
const sessionTimeoutMs = 120_000
const running = new Set<string>(runningCheckSessionStatuses)

export function startClients({ api, checkId, region, pauseMs }: ApiClientOptions): ApiClients {
  const faults: string[] = []
  const times: number[] = []
  let [isStopped, sessions] = [false, 0]

  /** Half of the clients keep their connections. */
  const openClient = (index: number) => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
    /** Resolves to the body, or null after a fault. */
    return async (method: string, path: string, expected: number, body?: unknown) => {
      const began = Date.now()
      try {
        const { status, text } = await send(api, agent, { method, path, body })
        times.push(Date.now() - began)
        if (status === expected) return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
        faults.push(`${at()} ${method} ${path}: status ${status}: ${text.slice(0, 200)}`)
      } catch (error) {
        times.push(Date.now() - began)
        faults.push(`${at()} ${method} ${path}: ${(error as Error).message}`)
      }
      return null
    }
  }
  type Call = ReturnType<typeof openClient>

  const read = async (call: Call, turn: number) => {
    const paths = ['/v1/checks?limit=20', '/v1/check-statuses', '/v1/accounts/me', `/v1/checks/${checkId}`]
    await call('GET', paths[turn % paths.length] ?? '', 200)
  }

  const edit = async (call: Call, turn: number) => {
    const name = `Edited ${turn}`
    const settings = {
      activated: false,
      locations: [region],
      request: { method: 'GET', url: 'http://127.0.0.1/' },
    }
    const created = await call('POST', '/v1/checks/url?autoAssignAlerts=false', 201, {
      name: `Created ${turn}`,
      frequency: 10,
      ...settings,
    })
    if (created === null) return
    await call('PUT', `/v1/checks/url/${created.id}`, 200, { name })
    const changed = await call('GET', `/v1/checks/${created.id}`, 200)
    if (changed !== null && changed.name !== name)
      faults.push(`${created.id}: the name is ${changed.name} after a change to ${name}`)
    await call('DELETE', `/v1/checks/${created.id}`, 204)
    await call('GET', `/v1/checks/${created.id}`, 404)
  }

  const runSession = async (call: Call) => {
    const started = await call('POST', '/v2/check-sessions/trigger', 201, { target: { checkId: [checkId] } })
    const [session] = (started?.sessions ?? []) as { checkSessionId: string }[]
    if (session === undefined) return
    sessions += 1
    const giveUpAt = Date.now() + sessionTimeoutMs
    for (;;) {
      const found = await call('GET', `/v2/check-sessions/${session.checkSessionId}`, 200)
      if (found?.status === 'PASSED') return
      if ((found !== null && !running.has(String(found.status))) || Date.now() > giveUpAt) {
        faults.push(`session ${session.checkSessionId} is ${found?.status}`)
        return
      }
      await pause(pauseMs)
    }
  }

  const roles = [
    ...Array.from({ length: readers }, () => read),
    ...Array.from({ length: editors }, () => edit),
    runSession,
  ]
  const working = roles.map(async (role, index) => {
    const call = openClient(index)
    const paced: Call = async (...words) => {
      const body = await call(...words)
      await pause(pauseMs)
      return body
    }
    for (let turn = 0; !isStopped; turn++) await role(paced, turn)
  })
  return {
    calls: () => times.length,
    times: () => times.toSorted((a, b) => a - b),
    sessions: () => sessions,
    faults,
    async stop() {
      isStopped = true
      await Promise.all(working)
    },
  }
}

const at = () => new Date().toISOString().slice(11, 23)

function send(
  api: Api,
  agent: Agent,
  { method, path, body }: { method: string; path: string; body: unknown },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${api.key}`,
      'x-service-account': api.accountId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const signal = AbortSignal.timeout(timeoutMs)
    const sent = request(api.url() + path, { agent, method, headers, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
