// Where runs wait for agents. Each region and each private location has one queue for network checks and one for code
// checks, so that runs that an agent can't take never block those that it can.
import { type CheckType, isCodeType, locationIds } from '@vedette/contracts'

const codeSuffix = '/code'

/** `locationKey`: a region, or the id of a private location. */
export function queueOf(locationKey: string, checkType: CheckType): string {
  return isCodeType(checkType) ? locationKey + codeSuffix : locationKey
}

export function locationKeyOf(queue: string): string {
  return queue.endsWith(codeSuffix) ? queue.slice(0, -codeSuffix.length) : queue
}

export function codeQueues(locationKeys: readonly string[]): string[] {
  return locationKeys.map((key) => key + codeSuffix)
}

export function allQueues(privateLocationIds: readonly string[]): string[] {
  const locationKeys = [...locationIds, ...privateLocationIds]
  return [...locationKeys, ...codeQueues(locationKeys)]
}
