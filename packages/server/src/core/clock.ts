/** Passed as a dependency, so that tests can set the time. Servers use the store's (`openStoreClock`). */
export interface Clock {
  now(): number
}
