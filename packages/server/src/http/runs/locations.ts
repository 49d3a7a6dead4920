import { listLocations, locationNames } from '@vedette/contracts'
import { handle, type Mounted } from '../transport/mount.ts'

export function locationRoutes(): Mounted[] {
  const locations = Object.entries(locationNames).map(([region, name]) => ({ region, name }))
  return [handle(listLocations, async () => locations)]
}
