// The runtime of this checkout, which tests, benches and `npm start` share; installed for real where it is not there yet.
import { npmEnvironment, readRuntimesDir } from '../config.ts'
import { ensureRuntime } from './install-runtime.ts'
import type { InstalledRuntime } from './runtime.ts'

export const installPatienceMs = 300_000

export function checkoutRuntime(name = '2026.04'): Promise<InstalledRuntime> {
  return ensureRuntime(name, {
    runtimesDir: readRuntimesDir({}),
    npmEnvironment: npmEnvironment(),
    log: { info: () => undefined },
  })
}
