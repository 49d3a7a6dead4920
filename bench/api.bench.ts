// Server CPU per authenticated read, compared with a plain Fastify route that returns the same JSON, interleaved in one run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiCheck, createClient } from '@vedette/contracts'
import { headersOf } from './api-calls.ts'
import { load, median, type Target } from './load.ts'
import { cpuSeconds, freePort, postgresOf, startProgram, startVedette } from './server-process.ts'

const goal = 5
const rounds = 7
const requests = 4000
const concurrency = 8

const vedette = await startVedette()
const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-plain-'))
const headers = headersOf(vedette)
const client = createClient({ baseUrl: vedette.url, apiKey: vedette.key, accountId: vedette.accountId })
const ids: string[] = []
for (let index = 0; index < 100; index++) {
  const check = await client.call(createApiCheck, {
    body: {
      name: `Check ${index}`,
      tags: ['bench'],
      locations: ['eu-west-1', 'us-east-1'],
      request: {
        method: 'GET',
        url: `https://example.com/${index}`,
        headers: [{ key: 'accept', value: 'application/json' }],
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
      },
    },
  })
  ids.push(check.id)
}
const [one, list] = await Promise.all(
  [`/v1/checks/${ids[0]}`, '/v1/checks'].map(async (path) =>
    (await fetch(vedette.url + path, { headers })).json(),
  ),
)
const bodiesFile = join(folder, 'bodies.json')
writeFileSync(bodiesFile, JSON.stringify({ '/one': one, '/list': list }))
const plainPort = await freePort()
const plain = await startProgram('./plain-server.ts', { PORT: String(plainPort), BODIES: bodiesFile })

interface Case {
  name: string
  target: Target
  pids: () => number[]
}

const database = () => postgresOf(vedette)
const cases: Case[] = [
  { name: 'plain one', target: { url: `http://127.0.0.1:${plainPort}/one` }, pids: () => [plain.pid] },
  { name: 'plain list', target: { url: `http://127.0.0.1:${plainPort}/list` }, pids: () => [plain.pid] },
  { name: 'health', target: { url: `${vedette.url}/healthz` }, pids: () => [vedette.pid] },
  { name: 'runtime', target: { url: `${vedette.url}/v1/locations`, headers }, pids: () => [vedette.pid] },
  { name: 'one', target: { url: `${vedette.url}/v1/checks/${ids[0]}`, headers }, pids: () => [vedette.pid] },
  { name: 'list', target: { url: `${vedette.url}/v1/checks`, headers }, pids: () => [vedette.pid] },
]
const server: Record<string, number[]> = {}
const store: Record<string, number[]> = {}

try {
  for (const { target } of cases) await load(target, { requests: 3000, concurrency })
  for (let round = 0; round < rounds; round++) {
    for (const { name, target, pids } of cases) {
      const before = cpuSeconds(pids())
      const storeBefore = cpuSeconds(database())
      await load(target, { requests, concurrency })
      server[name] = [...(server[name] ?? []), ((cpuSeconds(pids()) - before) / requests) * 1e6]
      store[name] = [...(store[name] ?? []), ((cpuSeconds(database()) - storeBefore) / requests) * 1e6]
    }
  }
} finally {
  await plain.stop()
  await vedette.stop()
  rmSync(folder, { recursive: true, force: true })
}

const micros = (values: number[] | undefined) => median(values ?? [])
const row = (label: string, name: string, yardstick: string) => {
  const node = micros(server[name])
  const postgres = micros(store[name])
  const ratio = node / micros(server[yardstick])
  console.log(
    `${label.padEnd(34)} ${node.toFixed(0).padStart(5)} µs server  ${postgres.toFixed(0).padStart(5)} µs PostgreSQL  ${ratio.toFixed(2)}× plain`,
  )
  return ratio
}
console.log(
  `CPU per request, median of ${rounds} interleaved rounds of ${requests} requests, ${concurrency} at a time`,
)
row('plain Fastify, one check', 'plain one', 'plain one')
row('plain Fastify, list of 10', 'plain list', 'plain list')
row('public route, no store', 'health', 'plain one')
row('public list of locations', 'runtime', 'plain one')
const ratio = row('GET /v1/checks/{id}', 'one', 'plain one')
row('GET /v1/checks', 'list', 'plain list')
const query = micros(server.one) - micros(server.health)
console.log(
  `of GET /v1/checks/{id}: ${micros(server.health).toFixed(0)} µs HTTP, hooks, limits and log; ` +
    `${query.toFixed(0)} µs key, account, query over the socket, reading the row, presenting and projecting it`,
)
const isMet = ratio <= goal
console.log(
  `goal: GET /v1/checks/{id} at most ${goal}× plain: ${ratio.toFixed(2)}× — ${isMet ? 'met' : 'MISSED'}`,
)
process.exitCode = isMet ? 0 : 1
