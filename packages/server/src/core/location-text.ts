// Names of locations for people.
import { locationNames, type RanAt } from '@vedette/contracts'

/** The name of a region; other locations are returned unchanged. */
export function locationName(location: string): string {
  return isRegion(location) ? locationNames[location] : location
}

function isRegion(location: string): location is keyof typeof locationNames {
  return Object.hasOwn(locationNames, location)
}

/**
 * "Ireland", or "Ireland (built-in agent)" if the built-in agent ran it: it always runs in the network of the server,
 * whichever location it serves.
 */
export function locationText(location: string, ranAt: Pick<RanAt, 'isBuiltIn'> | null): string {
  const name = locationName(location)
  return ranAt?.isBuiltIn && name !== '' ? `${name} (built-in agent)` : name
}
