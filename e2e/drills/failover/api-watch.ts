// A client that reads once every 100 ms while the store fails: 200, or 503 with Retry-After, and nothing else.
import { pause } from '../fleet.ts'
import type { Api } from '../load.ts'

export interface ApiWatch {
  /** When the first read after an instant succeeded; null: none did yet. PgBouncer lets reads wait instead of failing. */
  succeededAfter(instant: number): number | null
  /** Reads that got 503. */
  refused(): number
  total(): number
  faults: string[]
  stop(): Promise<void>
}

export function watchApi(api: Api): ApiWatch {
  let [total, refused, isStopped] = [0, 0, false]
  const successes: number[] = []
  const faults: string[] = []
  const read = async () => {
    total += 1
    const response = await fetch(`${api.url()}/v1/checks?limit=1`, {
      headers: { authorization: `Bearer ${api.key}`, 'x-service-account': api.accountId },
      signal: AbortSignal.timeout(30_000),
    })
    await response.arrayBuffer()
    if (response.status === 503) {
      refused += 1
      if (!response.headers.has('retry-after')) faults.push('a 503 has no Retry-After')
      return
    }
    if (response.status === 200) successes.push(Date.now())
    else faults.push(`a read got ${response.status}`)
  }
  const watching = (async () => {
    while (!isStopped) {
      await read().catch((error: Error) => faults.push(`a read failed: ${error.message}`))
      await pause(100)
    }
  })()
  return {
    succeededAfter: (instant) => successes.find((at) => at > instant) ?? null,
    refused: () => refused,
    total: () => total,
    faults,
    async stop() {
      isStopped = true
      await watching
    },
  }
}
