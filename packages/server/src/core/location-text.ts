// Locations in text for people.
import { locationNames, type RanAt } from '@vedette/contracts'

/** Private locations have names of their own: what isn't a region is returned as it is. */
export function locationName(location: string): string {
  return Object.hasOwn(locationNames, location)
    ? locationNames[location as keyof typeof locationNames]
    : location
}

/**
 * "Ireland", or "Ireland (built-in agent)" where the server's own agent ran it: that one runs in the server's network,
 * whatever location it stands in for.
 */
export function locationText(location: string, ranAt: Pick<RanAt, 'isBuiltIn'> | null): string {
  const name = locationName(location)
  return ranAt?.isBuiltIn && name !== '' ? `${name} (built-in agent)` : name
}
