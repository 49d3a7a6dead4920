// CPU of server and PostgreSQL for a request of the check list and of the home screen, with 10,000 checks and with 10, and for
// 100 clients that watch while every check runs once a minute.
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from './load.ts'
import { cpuSeconds, postgresOf, startVedette } from './server-process.ts'
import { measureLive } from './watching-clients.ts'
import { fillWebData } from './web-data.ts'

const many = Number(process.env.BENCH_CHECKS ?? 10_000)
const goals = { listMs: 20 }
const requests = 200
const paths = {
  'list, by name': '/v1/overview/checks',
  'list, by p95': '/v1/overview/checks?sort=p95&order=desc',
  'list, filtered': '/v1/overview/checks?query=checkout%201&state=passing&sort=lastRunAt',
  'list, next page': '/v1/overview/checks?sort=availability24h&offset=100',
  home: '/v1/overview',
}

const missed: string[] = []
for (const checkCount of [10, many]) {
  const vedette = await startVedette()
  const headers = { authorization: `Bearer ${vedette.key}`, 'accept-encoding': 'gzip' }
  const usedMs = () => 1000 * cpuSeconds([vedette.pid, ...postgresOf(vedette)])
  try {
    await fillWebData(vedette, checkCount)
    const first = usedMs()
    await load({ url: vedette.url + paths['list, by name'], headers }, { requests: 1, concurrency: 1 })
    console.log(`${checkCount} checks: the first request takes ${(usedMs() - first).toFixed(0)} ms of CPU`)
    const idle = await idleShare(usedMs)
    for (const [name, path] of Object.entries(paths)) {
      const target = { url: vedette.url + path, headers }
      await load(target, { requests: 20, concurrency: 1 })
      const [before, startedAt] = [usedMs(), performance.now()]
      const { latencies } = await load(target, { requests, concurrency: 1 })
      const each = (usedMs() - before - idle * (performance.now() - startedAt)) / requests
      const p50 = latencies[Math.floor(requests / 2)] ?? Number.NaN
      const isMet = each <= goals.listMs || name === 'home'
      if (!isMet) missed.push(`${name} with ${checkCount} checks`)
      console.log(
        `${checkCount} checks: ${name.padEnd(20)} ${each.toFixed(2)} ms of CPU, p50 ${p50.toFixed(1)} ms — ${isMet ? 'met' : 'MISSED'}`,
      )
    }
    if (checkCount === many && !(await measureLive(vedette, many))) missed.push('live')
  } finally {
    await vedette.stop()
  }
}
console.log(missed.length === 0 ? 'all goals met' : `MISSED: ${missed.join(', ')}`)
process.exitCode = missed.length === 0 ? 0 : 1

/** Background work of the server, as a share of a core. */
async function idleShare(usedMs: () => number): Promise<number> {
  const [before, startedAt] = [usedMs(), performance.now()]
  await sleep(10_000)
  return (usedMs() - before) / (performance.now() - startedAt)
}
