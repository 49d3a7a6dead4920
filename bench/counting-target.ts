// The target of scheduled checks, with one path for each check. It records the time of every request, which shows whether
// a run was left out or ran twice. A request to its second port returns the counts and resets them.
import { createServer } from 'node:http'

interface RequestCounts {
  count: number
  lastAt: number
  shortestGapMs: number
  longestGapMs: number
}

const requests = new Map<string, RequestCounts>()
const body = JSON.stringify({ status: 'ok', text: 'x'.repeat(1000) })

const target = createServer((request, response) => {
  const now = performance.now()
  const path = request.url ?? ''
  const known = requests.get(path)
  if (known === undefined) {
    requests.set(path, { count: 1, lastAt: now, shortestGapMs: Number.POSITIVE_INFINITY, longestGapMs: 0 })
  } else {
    const gap = now - known.lastAt
    known.shortestGapMs = Math.min(known.shortestGapMs, gap)
    known.longestGapMs = Math.max(known.longestGapMs, gap)
    known.lastAt = now
    known.count += 1
  }
  response.setHeader('content-type', 'application/json')
  response.end(body)
})

const teller = createServer((_request, response) => {
  const now = performance.now()
  const all = [...requests.values()]
  response.end(
    JSON.stringify({
      paths: all.length,
      requests: all.reduce((sum, { count }) => sum + count, 0),
      shortestGapMs: all.reduce((least, { shortestGapMs }) => Math.min(least, shortestGapMs), 1e9),
      // The time since the last request shows checks that stopped.
      longestGapMs: all.reduce(
        (most, { longestGapMs, lastAt }) => Math.max(most, longestGapMs, now - lastAt),
        0,
      ),
    }),
  )
  for (const one of all) {
    Object.assign(one, { count: 0, shortestGapMs: Number.POSITIVE_INFINITY, longestGapMs: 0 })
  }
})

target.listen(Number(process.env.TARGET_PORT), '127.0.0.1', 4096, () =>
  teller.listen(Number(process.env.TELLER_PORT), '127.0.0.1', () => process.stdout.write('ready\n')),
)
process.on('SIGTERM', () => process.exit(0))
