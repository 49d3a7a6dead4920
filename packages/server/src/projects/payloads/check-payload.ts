// The payload of a check, as clients deploy or test it, becomes the body that creates a check. References are resolved
// before. Pure.
import {
  CheckType,
  type CheckValues,
  checkRoutesOf,
  type FieldIssue,
  fieldIssuesOf,
  isRecord,
  type SharedFile,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { Payload } from './resolve-refs.ts'

export type ReadCheck = { type: CheckType; values: CheckValues } | { issues: FieldIssue[] }

/** Keys that the client left out get their defaults. */
export function readCheckPayload(payload: Payload, sharedFiles: readonly SharedFile[]): ReadCheck {
  const { data: type } = CheckType.safeParse(payload.checkType)
  if (type === undefined) return { issues: [{ path: ['checkType'], message: "isn't a type of checks" }] }
  const files = withFiles(payload, sharedFiles)
  const body: z.ZodType<CheckValues> | undefined = checkRoutesOf[type].create.body
  if (body === undefined) throw new Error('Routes that create checks have a body')
  const parsed = body.safeParse(withRetries(files.payload), { reportInput: true })
  const issues = [...files.issues, ...(parsed.success ? [] : fieldIssuesOf(parsed.error.issues))]
  if (!parsed.success || issues.length > 0) return { issues }
  return { type, values: parsed.data }
}

const fileLists = ['dependencies', 'setupScriptDependencies', 'tearDownScriptDependencies']

/** Lists of indexes become lists of files. */
function withFiles(
  payload: Payload,
  sharedFiles: readonly SharedFile[],
): { payload: Payload; issues: FieldIssue[] } {
  const issues: FieldIssue[] = []
  const changed: Record<string, unknown> = { ...payload }
  for (const name of fileLists) {
    const list = payload[name]
    if (!Array.isArray(list)) continue
    changed[name] = list.map((entry: unknown, index) => {
      if (typeof entry !== 'number') return entry
      const file = sharedFiles[entry]
      if (file === undefined)
        issues.push({ path: [name, index], message: "isn't the index of a shared file" })
      return file ?? { path: 'missing', content: '' }
    })
  }
  return { payload: changed, issues }
}

/** Clients send one cause as a string; the API takes a list. */
export function withRetries(payload: Payload): Payload {
  const { retryStrategy } = payload
  if (!isRecord(retryStrategy) || typeof retryStrategy.onlyOn !== 'string') return payload
  return { ...payload, retryStrategy: { ...retryStrategy, onlyOn: [retryStrategy.onlyOn] } }
}
