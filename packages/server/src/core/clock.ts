/** Passed as a dependency, so that tests can set the time. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
