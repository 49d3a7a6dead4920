// Reads the stored evidence of a run. Private agents are not under our control: a part that doesn't match its schema is left
// out, and never makes a result unreadable.
import {
  AssertionOutcome,
  type CheckType,
  definitionOf,
  Failure,
  isCodeType,
  JobLog,
  LogLine,
  readScriptErrors,
} from '@vedette/contracts'
import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'

type Values = Record<string, unknown>

export interface ResultDetail {
  failure: Failure | null
  assertions: z.output<typeof AssertionOutcome>[]
  observed: Values
  /** By phase for API checks, otherwise one list. */
  jobLog: z.output<typeof JobLog> | z.output<typeof LogLine>[] | null
  /** Without the packet capture. */
  diagnostics: Values | null
  /** The packets of a network failure: a pcap file. */
  pcapDataUrl: string | null
}

/** Null if there is no evidence, or its retention has ended. */
export function readDetail(text: string | null): ResultDetail | null {
  const stored = text === null || isTooDeep(text) ? null : valuesOf(parseJson(text))
  if (stored === null) return null
  const { pcapDataUrl, ...diagnostics } = valuesOf(stored.diagnostics) ?? {}
  return {
    failure: parseOrNull(Failure, stored.failure),
    assertions: parseOrNull(z.array(AssertionOutcome), stored.assertions) ?? [],
    observed: valuesOf(stored.observed) ?? {},
    jobLog: parseOrNull(z.union([JobLog, z.array(LogLine)]), stored.jobLog),
    diagnostics: valuesOf(stored.diagnostics) && diagnostics,
    pcapDataUrl: parseOrNull(PcapDataUrl, pcapDataUrl),
  }
}

/** Other links aren't passed on: people would open them. */
const PcapDataUrl = z.string().regex(/^data:application\/vnd\.tcpdump\.pcap;base64,[A-Za-z0-9+/]+={0,2}$/)

export function captureOf({ pcapDataUrl }: ResultDetail): Buffer<ArrayBuffer> | null {
  return pcapDataUrl === null ? null : Buffer.from(pcapDataUrl.slice(pcapDataUrl.indexOf(',') + 1), 'base64')
}

/** By phase for API checks and URL monitors, otherwise one list; null if there is no log. */
export function serializeLog(type: CheckType, { jobLog }: ResultDetail): ResultDetail['jobLog'] {
  const isPerPhase = definitionOf(type).result?.kind === 'http'
  if (jobLog === null || Array.isArray(jobLog) !== isPerPhase) return jobLog
  if (Array.isArray(jobLog)) return { setup: [], request: jobLog, teardown: [] }
  return [...jobLog.setup, ...jobLog.request, ...jobLog.teardown]
}

export function codeErrors({ observed }: ResultDetail): string[] {
  return readScriptErrors(observed.errors)
}

/** The assertions of agentic checks are part of `observed`. */
export function serializeRunData(type: CheckType, { observed, assertions, failure }: ResultDetail): Values {
  return isCodeType(type) ? { ...observed, ...(failure && { failure }) } : { ...observed, assertions }
}

export function parseOrNull<S extends z.ZodType>(schema: S, value: unknown): NonNullable<z.output<S>> | null {
  const parsed = schema.safeParse(value)
  return parsed.success ? (parsed.data ?? null) : null
}

export function valuesOf(value: unknown): Values | null {
  return isRecord(value) ? value : null
}

const maxDepth = 1_000

/** JSON.stringify overflows the stack at depths that JSON.parse accepts. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) isText = !isText
    else if (isText) continue
    else if (code === 0x5b || code === 0x7b) depth += 1
    else if (code === 0x5d || code === 0x7d) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
