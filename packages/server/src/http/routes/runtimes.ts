import { getRuntime, listRuntimes, runtimes } from '@vedette/contracts'
import { found, handle, type Mounted } from '../mount.ts'

export function runtimeRoutes(): Mounted[] {
  return [
    handle(listRuntimes, async () => runtimes),
    handle(getRuntime, async ({ params }) => found(runtimes.find(({ name }) => name === params.id))),
  ]
}
