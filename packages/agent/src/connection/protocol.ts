// The agent's side of contracts/runs/agent-api.ts. Only types are imported: the schemas of all resources would cost an agent
// 50 MB for a few constants. A test holds these to the contract.
import type {
  askForArtifacts,
  claimJobs,
  ResponseOf,
  reportError,
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
} as const

/** Of files: the lease goes into a header, the body is theirs. */
export const filePaths = {
  artifact: (sha256: string) => `/agent/v1/artifacts/${sha256}`,
  codeBundle: '/agent/v1/code-bundle',
} as const
export const runTokenHeader = 'x-run-token'

export interface Answers {
  claim: ResponseOf<typeof claimJobs>
  presence: ResponseOf<typeof reportPresence>
  results: ResponseOf<typeof reportResults>
  reports: ResponseOf<typeof reportError>
  wanted: ResponseOf<typeof askForArtifacts>
}

export type Call = keyof Answers

/** What an agent says of itself in every call. */
export interface AgentIdentity {
  agentId: string
  version: string
  /** What people call it. */
  agentName: string
}
