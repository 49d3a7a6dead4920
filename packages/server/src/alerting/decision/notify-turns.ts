// How many alerts are addressed in a turn. A burst of results brings thousands of alerts: addressing them at once would take
// the processors that record the rest of it (measured: decision 0007). So they come after it, but not forever.

/** Enough that the first of a burst are heard of at once. */
const fewAlerts = 20
const manyAlerts = 500
/** At four turns a second ten seconds: a server under constant pressure addresses a burst all the same. */
const patientTurns = 40

export class NotifyTurns {
  #fullTurns = 0

  limit(isPressed: boolean): number {
    return isPressed && this.#fullTurns < patientTurns ? fewAlerts : manyAlerts
  }

  /** What the turn came to: a full one means that there is more to do. */
  done(count: number, limit: number): void {
    this.#fullTurns = count >= limit ? this.#fullTurns + 1 : 0
  }
}
