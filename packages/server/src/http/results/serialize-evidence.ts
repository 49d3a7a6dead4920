// The evidence of a run, in the field of its check type.
import {
  ApiCheckResult,
  type CheckResult,
  type CheckType,
  checkTypeNames,
  definitionOf,
  isCodeType,
} from '@vedette/contracts'
import type { z } from 'zod'
import { parseOrNull, type ResultDetail, valuesOf } from './result-detail.ts'
import { type ResultFile, serializeCode } from './serialize-code-result.ts'

type Result = z.output<typeof CheckResult>
type Evidence = Pick<Result, Extract<keyof Result, `${string}CheckResult`>>

const fields = checkTypeNames.flatMap((type) => definitionOf(type).result?.field ?? [])
const nothing = Object.fromEntries(fields.map((field) => [field, null])) as unknown as Evidence

/** `files`: files of a code run; null in lists, which contain no links. */
export function serializeEvidence(
  type: CheckType,
  detail: ResultDetail | null,
  files: readonly ResultFile[] | null = null,
): Evidence {
  const { result } = definitionOf(type)
  if (detail === null || result === null) return nothing
  if (isCodeType(type)) return { ...nothing, [result.field]: serializeCode[type](detail, files) }
  if (result.kind === 'http') return { ...nothing, [result.field]: serializeHttp(detail) }
  return { ...nothing, [result.field]: serializeNetwork(result.schema.unwrap(), detail) }
}

function serializeHttp(detail: ResultDetail): z.output<typeof ApiCheckResult> {
  const { observed, assertions, jobLog, pcapDataUrl } = detail
  const { shape } = ApiCheckResult
  const request = parseOrNull(shape.request, observed.request)
  const response = parseOrNull(shape.response, observed.response)
  const isolation = parseOrNull(shape.isolation, observed.isolation)
  return {
    assertions,
    ...(request && { request }),
    ...(response && { response }),
    requestError: parseOrNull(shape.requestError, observed.requestError),
    jobLog: Array.isArray(jobLog) ? null : jobLog,
    jobAssets: null,
    pcapDataUrl,
    ...(isolation && { isolation }),
    ip: parseOrNull(shape.ip, observed.ip),
    tls: parseOrNull(shape.tls, observed.tls),
    tried: parseOrNull(shape.tried, observed.tried) ?? [],
    redirects: parseOrNull(shape.redirects, observed.redirects) ?? [],
    breakdown: parseOrNull(shape.breakdown, observed.breakdown),
  }
}

/** A part that doesn't fit the schema of the type is null, or absent where the schema has no null. */
function serializeNetwork(
  { shape }: z.ZodObject,
  { observed, assertions, pcapDataUrl }: ResultDetail,
): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<z.ZodType>(shape)) {
    const part = parseOrNull(schema, observed[name])
    known[name] = part ?? (schema.safeParse(null).success ? null : undefined)
  }
  return {
    ...observed,
    ...known,
    assertions,
    timingPhases: known.timingPhases ?? wholeTime(observed.response),
    pcapDataUrl,
  }
}

/** For DNS monitors, which have no phases. */
function wholeTime(response: unknown): Record<string, number> | null {
  const time = valuesOf(response)?.responseTime
  return typeof time === 'number' ? { total: time } : null
}
