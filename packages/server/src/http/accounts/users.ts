import { getMe } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeCaller } from './serialize-caller.ts'

export function userRoutes({ store }: Deps): Mounted[] {
  return [handle(getMe, async ({ principal }) => serializeCaller(store.db, principal))]
}
