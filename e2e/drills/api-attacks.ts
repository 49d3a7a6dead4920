// Two attacks that once stopped the HTTP API: bombs of nested brackets, and pipelined requests whose responses no client
// reads. Meanwhile another client sends ordinary requests, whose response times are measured.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { freePort } from '../free-port.ts'
import { type FirstStart, pause, startServer } from './fleet.ts'

export interface Figures {
  phase: string
  /** Response times of the others in ms, sorted. */
  times: number[]
  failed: number
  cpuSeconds: number
  peakRssMb: number
}

export interface ApiAttacksOptions {
  rounds: number
  log: (line: string) => void
}

const everyMs = 50
const quietMs = 5_000
const leastMs = 4_000
/** The longest duration of an attack. */
const longestMs = 90_000

/** 16 MB of brackets in 16 kB. */
const bomb = gzipSync(Buffer.from('['.repeat(8_388_598) + ']'.repeat(8_388_598)))

export async function apiAttacksDrill({ rounds, log }: ApiAttacksOptions): Promise<Figures[][]> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-attacks-'))
  const port = await freePort()
  const server = await startServer({ PORT: String(port), DATA_DIR: join(home, 'data') })
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  try {
    if (server.first === null) throw new Error('the data was not new')
    const target = { port, agent, ...server.first }
    const reader = await createReader(target)
    // A limit per address would end an attack early, so each one has its own address.
    let addresses = 1
    const bombs =
      (path: string, count: number, headers: Record<string, string> = {}) =>
      async () => {
        const localAddress = `127.0.0.${++addresses}`
        await Promise.all(
          Array.from({ length: count }, () => sendBomb({ port, path, headers, localAddress })),
        )
      }
    const key = { authorization: `Bearer ${reader}` }
    const attacks: [string, () => Promise<unknown>][] = [
      ['quiet', () => pause(quietMs)],
      ['bomb, unknown route, 1', bombs('/nope', 1)],
      ['bomb, unknown route, 10', bombs('/nope', 10)],
      ['bomb, public route, 1', bombs('/s/nobody/subscriptions', 1)],
      ['bomb, public route, 10', bombs('/s/nobody/subscriptions', 10)],
      ['bomb, READ_ONLY key, 1', bombs('/v1/alert-settings/backtest', 1, key)],
      ['bomb, READ_ONLY key, 10', bombs('/v1/alert-settings/backtest', 10, key)],
      ['100 × 50 unread', () => floodUnread({ port, localAddress: `127.0.0.${++addresses}` })],
    ]
    // Not measured: the first calls of a process are the slowest.
    await measure('warm-up', target, server.pid, () => pause(quietMs))
    const figures: Figures[][] = []
    for (let round = 1; round <= rounds; round++) {
      log(`round ${round}, load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`)
      const ofRound: Figures[] = []
      for (const [phase, attack] of attacks) {
        const measured = await measure(phase, target, server.pid, attack)
        log(lineOf(measured))
        ofRound.push(measured)
      }
      figures.push(ofRound)
    }
    return figures
  } finally {
    agent.destroy()
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Of sorted numbers. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function lineOf({ phase, times, failed, cpuSeconds, peakRssMb }: Figures): string {
  const shares = [0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(0).padStart(6)).join(' ')
  return (
    `  ${phase.padEnd(24)} others p50/p95/p99 ${shares} ms (${times.length} requests, ${failed} failed); ` +
    `CPU ${cpuSeconds.toFixed(2)} s, peak RSS ${peakRssMb.toFixed(0)} MB`
  )
}

type Target = FirstStart & { port: number; agent: Agent }

/** Requests start on schedule, not one after another: otherwise a stopped server would get fewer requests. */
async function measure(
  phase: string,
  target: Target,
  pid: number,
  attack: () => Promise<unknown>,
): Promise<Figures> {
  const times: number[] = []
  let failed = 0
  let peakRssMb = 0
  const pending = new Set<Promise<void>>()
  const paths = ['/v1/checks', '/v1/snippets?limit=100', '/v1/check-statuses', '/v1/accounts/me']
  const cpuBefore = cpuSecondsOf(pid)
  let count = 0
  const timer = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, rssMbOf(pid))
    const began = performance.now()
    const done = get(target, paths[count++ % paths.length] as string).then((status) => {
      times.push(performance.now() - began)
      if (status !== 200) failed += 1
      pending.delete(done)
    })
    pending.add(done)
  }, everyMs)
  await Promise.all([Promise.race([attack(), pause(longestMs)]), pause(leastMs)])
  clearInterval(timer)
  await Promise.all(pending)
  peakRssMb = Math.max(peakRssMb, rssMbOf(pid))
  const cpuSeconds = cpuSecondsOf(pid) - cpuBefore
  return { phase, times: times.toSorted((a, b) => a - b), failed, cpuSeconds, peakRssMb }
}

/** The status; 0 if the connection failed. */
function get({ port, agent, key, accountId }: Target, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'x-service-account': accountId }
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', () => resolve(0))
    })
    call.once('error', () => resolve(0))
    call.end()
  })
}

async function createReader({ port, key, accountId }: Target): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/service-api-keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'x-service-account': accountId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'reader', role: 'READ_ONLY' }),
  })
  const { rawKey } = (await response.json()) as { rawKey?: string }
  if (rawKey === undefined) throw new Error(`no READ_ONLY key: status ${response.status}`)
  return rawKey
}

interface Origin {
  port: number
  localAddress: string
}

function sendBomb({
  port,
  localAddress,
  path,
  headers,
}: Origin & { path: string; headers: Record<string, string> }) {
  return new Promise<void>((resolve) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        localAddress,
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers },
      },
      (response) => {
        response.resume()
        response.once('close', () => resolve())
      },
    )
    call.once('error', () => resolve())
    call.end(bomb)
  })
}

async function floodUnread({ port, localAddress }: Origin): Promise<void> {
  const asks = `GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\naccept-encoding: gzip\r\n\r\n`.repeat(50)
  const sockets = Array.from({ length: 100 }, (): Socket => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(asks)
    return socket
  })
  await pause(15_000)
  for (const socket of sockets) socket.destroy()
}

function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function rssMbOf(pid: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / 1024
}
