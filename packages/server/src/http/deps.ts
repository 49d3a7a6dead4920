import type { StaticIps } from '@vedette/contracts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Store } from '../storage/db.ts'
import type { Vault } from '../storage/vault.ts'
import type { KeyCache } from './key-cache.ts'

/** What every handler may use. */
export interface Deps {
  store: Store
  vault: Vault
  clock: Clock
  config: Config
  keys: KeyCache
  /** Absent: none are configured. */
  staticIps: StaticIps
}

/** The address that links begin with. */
export function publicUrl({ PUBLIC_URL, PORT }: Config): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`
}
