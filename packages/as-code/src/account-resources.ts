// What an export reads: all resources of an account, as the API reads them.
import type {
  getCheck,
  listAlertChannels,
  listCheckGroups,
  listClientCertificates,
  listDashboards,
  listMaintenanceWindows,
  listPrivateLocations,
  listSnippets,
  listStatusPageAutomationRules,
  listStatusPageServices,
  listStatusPages,
  listTriggers,
  listVariables,
  ResponseOf,
} from '@vedette/contracts'

type ItemOf<R> = ResponseOf<R> extends readonly (infer T)[] ? T : never
type EntryOf<R> = ResponseOf<R> extends { entries: readonly (infer T)[] } ? T : never

export interface AccountResources {
  /** Each as `getCheck` reads it, with the files of its script. */
  readonly checks: readonly ResponseOf<typeof getCheck>[]
  readonly checkGroups: readonly ItemOf<typeof listCheckGroups>[]
  /** With their subscriptions. */
  readonly alertChannels: readonly ItemOf<typeof listAlertChannels>[]
  readonly privateLocations: readonly ItemOf<typeof listPrivateLocations>[]
  readonly maintenanceWindows: readonly ItemOf<typeof listMaintenanceWindows>[]
  readonly dashboards: readonly ItemOf<typeof listDashboards>[]
  readonly services: readonly EntryOf<typeof listStatusPageServices>[]
  /** With their components. */
  readonly statusPages: readonly EntryOf<typeof listStatusPages>[]
  /** Of all status pages. */
  readonly automationRules: readonly ItemOf<typeof listStatusPageAutomationRules>[]
  readonly variables: readonly ItemOf<typeof listVariables>[]
  readonly snippets: readonly ItemOf<typeof listSnippets>[]
  readonly clientCertificates: readonly ItemOf<typeof listClientCertificates>[]
  readonly triggers: readonly ItemOf<typeof listTriggers>[]
}

export const noResources: AccountResources = {
  checks: [],
  checkGroups: [],
  alertChannels: [],
  privateLocations: [],
  maintenanceWindows: [],
  dashboards: [],
  services: [],
  statusPages: [],
  automationRules: [],
  variables: [],
  snippets: [],
  clientCertificates: [],
  triggers: [],
}

export interface ExportedFile {
  /** Relative to the directory of the export, with slashes. */
  readonly path: string
  readonly text: string
  /** The content of a file that is copied, such as one of a suite; the text is empty. */
  readonly bytes?: Uint8Array
}

/** The archive of a suite. */
export interface CodeBundle {
  /** As it was uploaded (tar.gz). */
  readonly archive: Uint8Array
  /** By path with slashes, relative to the bundle. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** By the `codeBundlePath` of suites. Archives that don't exist anymore are absent. */
export type CodeBundles = ReadonlyMap<string, CodeBundle>
