import { createCodeBundle } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { keepCodeBundle } from './keep-bundle.ts'

export function codeBundleRoutes(deps: Deps): Mounted[] {
  return [
    handle(createCodeBundle, async (call) => {
      const { path, size_bytes, sha256, created_at } = await keepCodeBundle(deps, call)
      return { codeBundlePath: path, sizeBytes: size_bytes, sha256, created_at }
    }),
  ]
}
