import type { StaticIps } from '@vedette/contracts'
import type { OidcProvider } from '../../accounts/oidc/provider.ts'
import type { PasswordHasher } from '../../accounts/password-hasher.ts'
import type { ChannelClients } from '../../alerting/delivery/channel-clients.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { publicUrl } from '../../core/public-url.ts'
import type { ServerTurns } from '../../core/server-turns.ts'
import type { StateLog } from '../../core/state-log.ts'
import type { SessionWatch } from '../../dispatch/session-watch.ts'
import type { IngestPressure } from '../../ingest/pressure.ts'
import type { LinkTo } from '../../links/signed-link.ts'
import type { LiveEvents } from '../../overview/live-events.ts'
import type { Overviews } from '../../overview/overviews.ts'
import type { Deployments } from '../../projects/deployments.ts'
import type { Store } from '../../storage/core/db.ts'
import { openLinks } from '../../storage/core/signed-links.ts'
import type { Vault } from '../../storage/core/vault.ts'
import type { KeyCache } from './key-cache.ts'
import type { StoreProbe } from './store-probe.ts'

/** Dependencies of the routes. */
export interface Deps {
  store: Store
  vault: Vault
  blobs: BlobStore
  clock: Clock
  config: Config
  keys: KeyCache
  passwords: PasswordHasher
  /** The checks of accounts, for lists and the home screen. */
  overviews: Overviews
  events: LiveEvents
  /** Waits until a session is over. */
  sessions: SessionWatch
  /** Runs deployments of projects. */
  deployments: Deployments
  /** Whether the database is reachable, for readiness. */
  probe: StoreProbe
  /** Notified of every report of an agent. */
  pressure: IngestPressure
  log: Log
  /** Absent: changes of state aren't logged. */
  stateLog?: StateLog | undefined
  /** Absent: this server is the only one. */
  turns?: ServerTurns | undefined
  staticIps: StaticIps
  /** Hash of the key of the built-in agent; absent if there is none. */
  builtInKeyHash?: Buffer | undefined
  /** Sends test messages; absent: this server can't reach channels. */
  channels?: ChannelClients | undefined
  /** Absent: the operator has set no identity provider. */
  oidc?: OidcProvider | undefined
  /** How often streams of test sessions read the store; absent: once a second. */
  progressEveryMs?: number | undefined
  /** Absent: pages have no hosts of their own. */
  pageHosts?: PageHostTable | undefined
}

/** Which hosts belong to pages. */
interface PageHostTable {
  /** The path that handles a request, by its host; null: as it was sent. */
  pathOf(host: string | undefined, path: string): string | null
  isServed(host: string): boolean
  /** After a change of a page. */
  refresh(): Promise<void>
}

/** Signs links to pages of an account. */
export function linksOf({ store, vault, config, clock }: Deps, accountId: string): Promise<LinkTo> {
  return openLinks(store.db, { publicUrl: publicUrl(config), sign: vault.sign, now: clock.now() }, accountId)
}
