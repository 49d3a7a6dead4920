// How many alerts get their notifications in a turn. A burst of results triggers thousands of alerts: handling them at once
// would take CPU from recording the other results (measured: decision 0007). So they wait, but not forever.

/** Enough to notify the first alerts of a burst at once. */
const fewAlerts = 20
const manyAlerts = 500
/** Ten seconds at four turns per second: the longest delay under constant pressure. */
const patientTurns = 40

export class NotifyTurns {
  #fullTurns = 0

  limit(isUnderPressure: boolean): number {
    return isUnderPressure && this.#fullTurns < patientTurns ? fewAlerts : manyAlerts
  }

  /** A count equal to the limit means that more alerts wait. */
  done(count: number, limit: number): void {
    this.#fullTurns = count >= limit ? this.#fullTurns + 1 : 0
  }
}
