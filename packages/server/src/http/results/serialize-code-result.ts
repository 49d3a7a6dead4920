// The evidence of a code run: what its agent reported, its log, and links to its files.
import {
  AgenticCheckResult,
  type assetTypes,
  BrowserCheckResult,
  type CodeCheckType,
  MultiStepCheckResult,
  PlaywrightCheckResult,
} from '@vedette/contracts'
import { z } from 'zod'
import { type ResultDetail, valuesOf } from './result-detail.ts'

/** A file with a link that opens it. */
export interface ResultFile {
  type: (typeof assetTypes)[number]
  name: string
  contentType: string
  url: string
}

type Values = Record<string, unknown>

/** `files`: null in lists, which contain no links. */
function serializeBrowser(
  detail: ResultDetail,
  files: readonly ResultFile[] | null,
): z.output<typeof BrowserCheckResult> {
  return {
    ...shown(BrowserCheckResult, detail, files),
    errors: errorsOf<unknown>(detail, ({ message }) => message),
  }
}

function serializeMultiStep(
  detail: ResultDetail,
  files: readonly ResultFile[] | null,
): z.output<typeof MultiStepCheckResult> {
  return {
    ...shown(MultiStepCheckResult, detail, files),
    errors: errorsOf<unknown>(detail, ({ message }) => message),
  }
}

function serializeSuite(
  detail: ResultDetail,
  files: readonly ResultFile[] | null,
): z.output<typeof PlaywrightCheckResult> {
  const traces = files?.filter(({ type }) => type === 'trace') ?? null
  return {
    ...shown(PlaywrightCheckResult, detail, files),
    errors: errorObjectsOf(detail, ({ message }) => ({ error: { message } })),
    ...(traces && { playwrightTraceFiles: traceFiles(detail, traces) }),
  }
}

function serializeAgentic(
  detail: ResultDetail,
  files: readonly ResultFile[] | null,
): z.output<typeof AgenticCheckResult> {
  return {
    ...shown(AgenticCheckResult, detail, files),
    errors: errorObjectsOf(detail, ({ message }) => ({ message })),
  }
}

/** Set by the server, never by an agent: people open these links. */
const serverFields = [
  'jobLog',
  'jobAssets',
  'pcapDataUrl',
  'playwrightTestVideos',
  'playwrightTestTraces',
  'playwrightTestJsonReportFile',
  'playwrightTraceFiles',
]

function shown<S extends z.ZodObject>(
  schema: S,
  { observed, jobLog, pcapDataUrl }: ResultDetail,
  files: readonly ResultFile[] | null,
): z.output<S> {
  const kept = Object.entries(observed).filter(([name, value]) => {
    // `constructor` and similar names.
    if (serverFields.includes(name) || name in Object.prototype) return false
    const field: z.ZodType | undefined = schema.shape[name]
    return field === undefined || field.safeParse(value).success
  })
  return {
    ...Object.fromEntries(kept),
    jobLog: Array.isArray(jobLog) ? jobLog : null,
    pcapDataUrl,
    ...(files === null ? { jobAssets: null } : linksTo(files, schema)),
  } as z.output<S>
}

/** Each file is listed once: in the field of its type, or as an asset. */
function linksTo(files: readonly ResultFile[], schema: z.ZodObject): Values {
  const hasTestFiles = 'playwrightTestTraces' in schema.shape
  const report = files.find(({ type, contentType }) => type === 'report' && contentType.includes('json'))
  const urls = (type: ResultFile['type']) => files.filter((file) => file.type === type).map(({ url }) => url)
  const others = files.filter(
    (file) => !hasTestFiles || (file.type !== 'video' && file.type !== 'trace' && file !== report),
  )
  return {
    jobAssets: others.map(({ url }) => url),
    ...(hasTestFiles && {
      playwrightTestVideos: urls('video'),
      playwrightTestTraces: urls('trace'),
      ...(report && { playwrightTestJsonReportFile: report.url }),
    }),
  }
}

/** The errors that the run reported, or its failure if it reported none. */
function errorsOf<T>(
  { observed: { errors }, failure }: ResultDetail,
  asError: (failure: { message: string }) => T,
): T[] {
  if (Array.isArray(errors) && errors.length > 0) return errors
  return failure === null ? [] : [asError(failure)]
}

function errorObjectsOf(detail: ResultDetail, asError: (failure: { message: string }) => Values): Values[] {
  return errorsOf(detail, asError).filter((error) => valuesOf(error) !== null)
}

const Named = z.object({ name: z.string(), filename: z.string() })

/** A suite names traces by their tests; other traces get the name of their file. */
function traceFiles({ observed }: ResultDetail, traces: readonly ResultFile[]) {
  const reported = Array.isArray(observed.playwrightTraceFiles) ? observed.playwrightTraceFiles : []
  const names = new Map(
    reported.flatMap((one) => {
      const named = Named.safeParse(one)
      return named.success ? [[named.data.filename, named.data.name] as const] : []
    }),
  )
  return traces.map(({ name: filename, url }) => ({ name: names.get(filename) ?? filename, filename, url }))
}

export const serializeCode = {
  BROWSER: serializeBrowser,
  MULTI_STEP: serializeMultiStep,
  PLAYWRIGHT: serializeSuite,
  AGENTIC: serializeAgentic,
} satisfies Record<CodeCheckType, unknown>
