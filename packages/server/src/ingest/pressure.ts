// Whether many results are being recorded at this moment. What may wait a little gives way to them.
import type { Clock } from '../core/clock.ts'

/** A report of so many: agents of a few hundred checks never send it, unless everything runs at once. */
const manyResults = 100
/** The next report of a burst follows within it. */
const lastsMs = 500

export class IngestPressure {
  readonly #clock: Clock
  #highUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isHigh(): boolean {
    return this.#clock.now() < this.#highUntil
  }

  /** A report came in. */
  add(results: number): void {
    if (results >= manyResults) this.#highUntil = this.#clock.now() + lastsMs
  }
}
