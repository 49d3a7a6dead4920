// How late runs started between two readings of the server's histogram.

export class StartLag {
  /** Upper bound in seconds and cumulative count, in order. */
  readonly #buckets: [bound: number, count: number][]

  constructor(buckets: [number, number][]) {
    this.#buckets = buckets
  }

  get count(): number {
    return this.#buckets.at(-1)?.[1] ?? 0
  }

  since(before: StartLag): StartLag {
    const earlier = new Map(before.#buckets)
    return new StartLag(this.#buckets.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)]))
  }

  shareUpTo(seconds: number): number {
    const count = this.#buckets.findLast(([bound]) => bound <= seconds)?.[1] ?? 0
    return this.count === 0 ? 0 : count / this.count
  }

  /** As text, because it lies between two bounds. */
  quantile(q: number): string {
    const at = this.#buckets.findIndex(([, count]) => count >= q * this.count)
    const [from, to] = [this.#buckets[at - 1]?.[0] ?? 0, this.#buckets[at]?.[0] ?? 0]
    return Number.isFinite(to) ? `${from * 1000} to ${to * 1000} ms` : `over ${from} s`
  }
}

export async function startLag(serverUrl: string): Promise<StartLag> {
  const text = await (await fetch(`${serverUrl}/metrics`)).text()
  const lines = text.matchAll(/^vedette_run_start_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)
  return new StartLag(
    Array.from(lines, ([, bound, count]) => [
      bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
      Number(count),
    ]),
  )
}
