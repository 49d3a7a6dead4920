// The evidence of a run of code as the API shows it: what its agent told of it, its log, and links to the files that it left.
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

/** `files`: null where many results are shown at once, and nobody follows links. */
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

/** Said by us, never by an agent: links are opened by people. */
const ours = [
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
    // Names that every object has are nobody's evidence.
    if (ours.includes(name) || name in Object.prototype) return false
    const field = schema.shape[name] as z.ZodType | undefined
    return field === undefined || field.safeParse(value).success
  })
  return {
    ...Object.fromEntries(kept),
    jobLog: Array.isArray(jobLog) ? jobLog : null,
    pcapDataUrl,
    ...(files === null ? { jobAssets: null } : linksTo(files, schema)),
  } as z.output<S>
}

/** Each file stands in one place: that of its type, or among the assets. */
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

/** What the run itself told of its errors; where it told none, why it did not pass. */
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

/** A suite names its traces by their tests; what it did not name has the name of its file. */
function traceFiles({ observed }: ResultDetail, traces: readonly ResultFile[]) {
  const told = Array.isArray(observed.playwrightTraceFiles) ? observed.playwrightTraceFiles : []
  const names = new Map(
    told.flatMap((one) => {
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
