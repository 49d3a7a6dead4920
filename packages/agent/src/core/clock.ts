// Time as the server has it. Every answer carries the server's time; from the quickest of the last few the offset is
// taken, and from there on the monotonic clock counts: a clock of this machine that is set meanwhile moves no result.

export interface AgentClock {
  /** Milliseconds since 1970, by the server's clock as far as it is known. */
  now(): number
  /** Milliseconds from any point; never goes back. */
  monotonic(): number
}

export interface ServerClock extends AgentClock {
  /** `sentAt` and `receivedAt` by `monotonic()`. */
  sample(sentAt: number, receivedAt: number, serverTime: number): void
  /** How far this machine's own clock is behind the server's; null until the server was heard. */
  readonly offsetMs: number | null
  /** The offset is known to half of this. */
  readonly roundTripMs: number | null
}

interface Sample {
  /** The server's time minus ours, between these two bounds whatever the way back and forth took. */
  from: number
  to: number
}

const kept = 8
/** What two quartz clocks may drift apart over the samples that are kept. */
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
      // Bounds that do not meet: a clock was set or a machine slept, and what was known before is void.
      if (best && (sample.from > best.to + driftMs || sample.to < best.from - driftMs)) samples = []
      samples = [...samples.slice(1 - kept), sample]
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
