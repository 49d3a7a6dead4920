/** Of this process: set once at its start, so that no room on the way of a result need hand it on. */
export const alerting = { isOn: true }
