// Files between an agent and its server: files of runs, and archives of suites. All calls contain the lease of a run: in
// the body or, if the body is a file, in the header x-run-token.
import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { maxArtifactsPerRun, Sha256 } from './agent-api.ts'

export const runTokenHeader = 'x-run-token'

const tag = 'Agents'

export const askForArtifacts = route({
  method: 'POST',
  path: '/agent/v1/artifacts/wanted',
  tag,
  summary: 'Ask which files of a run must be uploaded',
  description: 'The account may already have the same bytes, from this run or another one.',
  access: 'agent',
  body: z.object({
    agentId: Uuid,
    token: z.string().max(8_000),
    sha256: z.array(Sha256).max(maxArtifactsPerRun),
  }),
  status: 200,
  response: z.object({ serverTime: z.number(), wanted: z.array(z.string()) }),
})

export const uploadArtifact = route({
  method: 'PUT',
  path: '/agent/v1/artifacts/{sha256}',
  tag,
  summary: 'Upload a file of a run',
  access: 'agent',
  params: z.object({ sha256: Sha256 }),
  streamsBody: true,
  status: 200,
  errors: [402],
  response: z.object({ serverTime: z.number(), sizeBytes: z.number() }),
})

export const downloadSnapshot = route({
  method: 'GET',
  path: '/agent/v1/snapshots/{key}',
  tag,
  summary: 'Download a file that the script of the run compares with',
  access: 'agent',
  params: z.object({ key: z.string().min(1).max(300) }),
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  contentType: 'application/octet-stream',
})

export const downloadCodeBundle = route({
  method: 'GET',
  path: '/agent/v1/code-bundle',
  tag,
  summary: "Download the archive of the run's suite",
  access: 'agent',
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  contentType: 'application/gzip',
})
