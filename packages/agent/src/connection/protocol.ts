// The agent's side of contracts/runs/agent-api.ts. It imports only types, since the schemas of all resources would take 50 MB.
// A test compares the constants with the contract.
import type {
  askForArtifacts,
  claimJobs,
  ResponseOf,
  reportError,
  reportLog,
  reportPresence,
  reportResults,
} from '@vedette/contracts'

export const renewEveryMs = 10_000
export const maxClaimWaitSeconds = 20
export const maxResultsPerReport = 500
export const maxLeasesPerPresence = 20_000
export const maxStoredBodyBytes = 256 * 1024
export const maxDetailLength = 2_000_000
export const maxArtifactBytes = 150 * 1024 * 1024
export const maxArtifactsPerRun = 200

export const paths = {
  claim: '/agent/v1/claim',
  presence: '/agent/v1/presence',
  results: '/agent/v1/results',
  reports: '/agent/v1/reports',
  wanted: '/agent/v1/artifacts/wanted',
  logs: '/agent/v1/logs',
} as const

/** For files: the lease is in a header, the body is the file. */
export const filePaths = {
  artifact: (sha256: string) => `/agent/v1/artifacts/${sha256}`,
  codeBundle: '/agent/v1/code-bundle',
  snapshot: (key: string) => `/agent/v1/snapshots/${encodeURIComponent(key)}`,
} as const
export const runTokenHeader = 'x-run-token'

export interface Responses {
  claim: ResponseOf<typeof claimJobs>
  presence: ResponseOf<typeof reportPresence>
  results: ResponseOf<typeof reportResults>
  reports: ResponseOf<typeof reportError>
  wanted: ResponseOf<typeof askForArtifacts>
  logs: ResponseOf<typeof reportLog>
}

export type Call = keyof Responses

/** Identifies the agent in every call. */
export interface AgentIdentity {
  agentId: string
  version: string
  /** The name that the operator gave it. */
  agentName: string
}
