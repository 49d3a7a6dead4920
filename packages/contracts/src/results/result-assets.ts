import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { addition, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { JobLog, LogLine } from './check-result-detail.ts'

export const assetTypes = ['log', 'trace', 'video', 'screenshot', 'pcap', 'report', 'file'] as const

const AssetManifestEntry = z
  .object({
    type: z.enum(assetTypes),
    name: z.string(),
    url: z
      .string()
      .describe(
        'Relative to this server, or absolute if its files have a host of their own. Readable with the same key, or within 15 minutes without one',
      )
      .meta({ format: 'uri-reference' }),
    contentType: z.string(),
    sizeBytes: addition(z.int().min(0).optional()),
    viewerUrl: addition(
      z
        .string()
        .optional()
        .describe('Of traces: opens it in the viewer, within 15 minutes')
        .meta({ format: 'uri' }),
    ),
    source: z.object({
      type: z.enum(['check-result', 'test-session-result']),
      checkId: Uuid.optional(),
      checkName: z.string().optional(),
      checkType: CheckType.optional(),
      resultId: Uuid,
      testSessionId: Uuid.optional(),
    }),
    archive: z.object({ entryName: z.string() }).optional(),
  })
  .meta({ id: 'AssetManifestEntry' })

export const AssetManifest = z
  .object({
    assets: z.array(AssetManifestEntry),
    truncated: z.boolean(),
    entriesReturned: z.int().min(0),
    entriesTotal: z.int().min(0),
  })
  .meta({ id: 'AssetManifest' })

export const AssetQuery = z.object({
  type: z.enum(assetTypes).optional(),
  name: z.string().max(500).optional().describe('The whole name'),
})

/** The files of network checks, with their names in the manifest and in the paths below. */
export const resultAssets = {
  log: { type: 'log', name: 'logs.json', contentType: 'application/json' },
  runData: { type: 'file', name: 'check-run-data.json', contentType: 'application/json' },
  capture: { type: 'pcap', name: 'capture.pcap', contentType: 'application/vnd.tcpdump.pcap' },
} as const satisfies Record<string, { type: (typeof assetTypes)[number]; name: string; contentType: string }>

/** 206: a range of the file; 416: the file doesn't have that range. */
export const fileResponse = {
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  // Depends on the file.
  contentType: '*/*',
  alternativeStatuses: [206],
  errors: [416],
} as const

const tag = 'Check results'
const params = z.object({ checkId: Uuid, checkResultId: Uuid })
const folder = '/v1/assets/check-results/{checkId}/{checkResultId}'

export const listCheckResultAssets = route({
  method: 'GET',
  path: '/v1/check-results/{checkId}/{checkResultId}/assets',
  tag,
  summary: 'List the files of a result',
  access: 'READ_ONLY',
  params,
  query: AssetQuery,
  status: 200,
  response: AssetManifest,
})

export const getCheckResultLog = route({
  method: 'GET',
  path: `${folder}/${resultAssets.log.name}`,
  tag,
  summary: 'Read the log of a result',
  description: 'Per phase for API checks and URL monitors, else one list.',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.union([z.array(LogLine), JobLog]),
})

export const getCheckResultRunData = route({
  method: 'GET',
  path: `${folder}/${resultAssets.runData.name}`,
  tag,
  summary: 'Read what a run sent, received and asserted',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.looseObject({}),
})

export const getCheckResultCapture = route({
  method: 'GET',
  path: `${folder}/${resultAssets.capture.name}`,
  tag,
  summary: 'Read the packet capture of a failed run',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  contentType: resultAssets.capture.contentType,
})

export const getCheckResultFile = route({
  method: 'GET',
  path: `${folder}/files/{artifactId}`,
  tag,
  summary: 'Read a file of a run: a trace, a video, a screenshot, a report',
  description: 'Supports range requests. The content type is that of the file.',
  access: 'READ_ONLY',
  params: params.extend({ artifactId: Uuid }),
  ...fileResponse,
})

export const getSignedAsset = route({
  method: 'GET',
  path: '/assets/{artifactId}/{name}',
  tag,
  summary: 'Read a file by a link that is valid for minutes and for this file alone',
  description:
    'Lists of assets contain these links. Supports range requests. The content type is that of the file.',
  access: 'public',
  params: z.object({ artifactId: Uuid, name: z.string().max(500) }),
  query: z.object({
    expires: z.int().min(0).describe('Until when it is valid, in seconds since 1970'),
    signature: z.string().max(100),
  }),
  ...fileResponse,
  errors: [403, 416],
})
