// The time of another machine. The fastest of the last responses that carried it gives the offset to the monotonic clock, so that
// a change of this machine's clock doesn't matter.

export interface RemoteClock {
  /** Milliseconds since 1970, by the remote clock as far as it is known. */
  now(): number
  /** Milliseconds from an arbitrary point; never decreases. */
  monotonic(): number
  /** `sentAt` and `receivedAt` by `monotonic()`. */
  sample(sentAt: number, receivedAt: number, remoteTime: number): void
  /** How far this machine's clock is behind the remote one; null before the first response. */
  readonly offsetMs: number | null
  /** The error of the offset is at most half of this. */
  readonly roundTripMs: number | null
}

interface Sample {
  /** Bounds of the remote time minus ours. */
  from: number
  to: number
}

const maxSamples = 8
/** The drift between two clocks over the kept samples. */
const driftMs = 50

export function createRemoteClock(
  monotonic = () => performance.now(),
  systemTime = () => Date.now(),
): RemoteClock {
  let samples: Sample[] = []
  let best: Sample | null = null
  let base = systemTime() - monotonic()
  return {
    now: () => monotonic() + base,
    monotonic,
    sample(sentAt, receivedAt, remoteTime) {
      const sample = { from: remoteTime - receivedAt, to: remoteTime - sentAt }
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
