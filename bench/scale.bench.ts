// An account with 10,000 checks compared with one with 100, in one run.
import { type Caller, createChecks, headersOf, operate } from './api-calls.ts'
import { load, median } from './load.ts'
import { startVedette } from './server-process.ts'

const rounds = 9
const requests = 200
const vedette = await startVedette()

interface Account extends Caller {
  ids: string[]
}

async function fill(caller: Caller, count: number): Promise<Account> {
  const ids = await createChecks(caller, 'api', count, (index) => ({
    name: `Check ${index} of the ${['shop', 'site', 'mail', 'login'][index % 4]}`,
    tags: [`team-${index % 10}`, index % 100 === 0 ? 'rare' : 'common'],
    locations: ['eu-west-1', 'us-east-1'],
    request: { method: 'GET', url: `https://example.com/path/${index}` },
  }))
  return { ...caller, ids }
}

try {
  console.log('filling two accounts with 100 and 10,000 checks')
  const small = await fill(secondAccount(), 100)
  const large = await fill(vedette, 10_000)

  const compared = {
    'by id': (account: Account) => `/v1/checks/${account.ids[50]}`,
    'first page': () => '/v1/checks',
  }
  const filtered = {
    'total of all (page 500)': '/v1/checks?page=500',
    'tag=rare': '/v1/checks?tag=rare',
    'tag=common': '/v1/checks?tag=common',
    'search=login': '/v1/checks?search=login',
    'search=nothing': '/v1/checks?search=nothing-like-it',
    'checkType=API': '/v1/checks?checkType=API',
    'url pattern': '/v1/checks?apiCheckUrlFilterPattern=path/99',
  }
  const missed: string[] = []
  for (const [name, path] of Object.entries(compared)) {
    // Warm-up of both accounts: query plans cached, pages in memory, code compiled.
    for (const account of [small, large]) {
      await load(
        { url: vedette.url + path(account), headers: headersOf(account) },
        { requests: 1000, concurrency: 1 },
      )
    }
    const times = { small: [] as number[], large: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      for (const [size, account] of [
        ['small', small],
        ['large', large],
      ] as const) {
        const { latencies } = await load(
          { url: vedette.url + path(account), headers: headersOf(account) },
          { requests, concurrency: 1 },
        )
        times[size].push(median(latencies))
      }
    }
    const ratio = median(times.large) / median(times.small)
    console.log(
      `${name.padEnd(26)} p50 ${median(times.small).toFixed(2)} ms of 100, ${median(times.large).toFixed(2)} ms of 10,000: ${ratio.toFixed(2)}×`,
    )
    if (ratio > 2) missed.push(`${name} ${ratio.toFixed(2)}×`)
  }
  for (const [name, path] of Object.entries(filtered)) {
    const { latencies } = await load(
      { url: vedette.url + path, headers: headersOf(large) },
      { requests: 100, concurrency: 1 },
    )
    console.log(`${name.padEnd(26)} p50 ${median(latencies).toFixed(2)} ms of 10,000`)
    if (median(latencies) > 20) missed.push(`${name} ${median(latencies).toFixed(1)} ms`)
  }
  const verdict = missed.length === 0 ? 'met' : `MISSED: ${missed.join(', ')}`
  console.log(`goal: by id and first page within 2×, filters and totals under 20 ms p50 — ${verdict}`)
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await vedette.stop()
}

/** Created with the operator's command: npx vedette accounts create. */
function secondAccount(): Caller {
  const args = ['accounts', 'create', '--name', 'Small', '--owner-email', 'small@example.com']
  const made = operate<{ id?: string; accountId?: string; rawKey?: string; key?: { rawKey: string } }>(
    vedette,
    args,
  )
  return {
    url: vedette.url,
    key: (made.rawKey ?? made.key?.rawKey) as string,
    accountId: (made.accountId ?? made.id) as string,
  }
}
