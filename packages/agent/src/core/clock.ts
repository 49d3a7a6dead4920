// The server's time. Every response carries it; the fastest of the last responses gives the offset to the monotonic clock, so
// that a change of this machine's clock doesn't affect results.

export interface AgentClock {
  /** Milliseconds since 1970, by the server's clock as far as it is known. */
  now(): number
  /** Milliseconds from an arbitrary point; never decreases. */
  monotonic(): number
}

export interface ServerClock extends AgentClock {
  /** `sentAt` and `receivedAt` by `monotonic()`. */
  sample(sentAt: number, receivedAt: number, serverTime: number): void
  /** How far this machine's clock is behind the server's; null before the first response. */
  readonly offsetMs: number | null
  /** The error of the offset is at most half of this. */
  readonly roundTripMs: number | null
}

interface Sample {
  /** Bounds of the server's time minus ours. */
  from: number
  to: number
}

const maxSamples = 8
/** The drift between two clocks over the kept samples. */
const driftMs = 50

export function createServerClock(
  monotonic = () => performance.now(),
  systemTime = () => Date.now(),
): ServerClock {
  let samples: Sample[] = []
  let best: Sample | null = null
  let base = systemTime() - monotonic()
  return {
    now: () => monotonic() + base,
    monotonic,
    sample(sentAt, receivedAt, serverTime) {
      const sample = { from: serverTime - receivedAt, to: serverTime - sentAt }
      // Bounds that don't overlap: a clock was changed or a machine slept, so older samples are invalid.
      if (best && (sample.from > best.to + driftMs || sample.to < best.from - driftMs)) samples = []
      samples = [...samples.slice(1 - maxSamples), sample]
      best = samples.reduce((a, b) => (b.to - b.from <= a.to - a.from ? b : a))
      base = (best.from + best.to) / 2
    },
    get offsetMs() {
      return best === null ? null : Math.round((base - (systemTime() - monotonic())) * 10) / 10
    },
    get roundTripMs() {
      return best === null ? null : Math.round((best.to - best.from) * 10) / 10
    },
  }
}
