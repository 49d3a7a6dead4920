// Where runs wait for their agents: one queue per region and private location, and another one for checks that run
// code, so that what one kind of agent can't take never stands in the way of what it can.
import { type CheckType, isCodeType, locationIds } from '@vedette/contracts'

const codeSuffix = '/code'

/** `place`: a region, or the id of a private location. */
export function queueOf(place: string, checkType: CheckType): string {
  return isCodeType(checkType) ? place + codeSuffix : place
}

export function networkQueues(places: readonly string[]): string[] {
  return [...places]
}

export function codeQueues(places: readonly string[]): string[] {
  return places.map((place) => place + codeSuffix)
}

export function allQueues(privateLocationIds: readonly string[]): string[] {
  const places = [...locationIds, ...privateLocationIds]
  return [...networkQueues(places), ...codeQueues(places)]
}
