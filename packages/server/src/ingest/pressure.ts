// Whether many results are being recorded now, so that less urgent work can wait.
import type { Clock } from '../core/clock.ts'

/** Agents with a few hundred checks send reports of this size only if everything runs at once. */
const manyResults = 100
/** The next report of a burst arrives within this time. */
const durationMs = 500

export class IngestPressure {
  readonly #clock: Clock
  #highUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isHigh(): boolean {
    return this.#clock.now() < this.#highUntil
  }

  add(results: number): void {
    if (results >= manyResults) this.#highUntil = this.#clock.now() + durationMs
  }
}
