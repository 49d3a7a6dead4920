// A keep-alive load with a fixed number of requests, on the loopback interface only.
import { Agent, request } from 'node:http'

export interface Target {
  url: string
  headers?: Record<string, string>
}

export interface Load {
  /** Milliseconds of each request, sorted. */
  latencies: number[]
}

export async function load(
  target: Target,
  options: { requests: number; concurrency: number },
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  const latencies: number[] = []
  let left = options.requests
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const begin = performance.now()
      await once(target, agent)
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, worker))
  agent.destroy()
  return { latencies: latencies.sort((a, b) => a - b) }
}

function once({ url, headers = {} }: Target, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: status ${response.statusCode}`))
      response.resume()
      response.once('end', resolve)
      response.once('error', reject)
    })
      .once('error', reject)
      .end()
  })
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
