// JSONPaths of users: parsed by json-p3 (RFC 9535), evaluated by json-path-walk.ts with limits. Errors are returned, not
// thrown. Beyond the RFC a path may end in `.length` of an array or a text.

import { jsonpath } from 'json-p3'
import { LRUCache } from 'lru-cache'
import { errorMessage } from '../errors.ts'
import { JsonPathLimitError, walkJsonPath } from './json-path-walk.ts'

const maxPathChars = 5000

export type JsonPathResult = { ok: true; values: unknown[] } | { ok: false; error: string }

type Parsed = { ok: true; path: jsonpath.JSONPathQuery } | { ok: false; error: string }

const environment = new jsonpath.JSONPathEnvironment()

const parsed = new LRUCache<string, Parsed>({ max: 1000, memoMethod: parse })

/** The values that the path finds in the document; an empty path finds the document. */
export function queryJson(path: string, document: unknown): JsonPathResult {
  if (path === '') return { ok: true, values: [document] }
  if (path.length > maxPathChars) {
    return { ok: false, error: `the JSONPath is longer than ${maxPathChars} characters` }
  }
  const query = parsed.memo(path)
  if (!query.ok) return query
  try {
    return { ok: true, values: walkJsonPath(query.path, document) }
  } catch (error) {
    if (error instanceof JsonPathLimitError) return { ok: false, error: error.message }
    // A stack overflow is caused by the document or the path, and leaves no partial state.
    if (error instanceof RangeError) return { ok: false, error: 'the JSONPath nests too deeply' }
    throw error
  }
}

/** What is wrong with the path, whatever the document; null: it parses. */
export function jsonPathError(path: string): string | null {
  const result = queryJson(path, null)
  return result.ok ? null : result.error
}

function parse(path: string): Parsed {
  try {
    // The RFC forbids trailing whitespace, which is a common mistake.
    return { ok: true, path: environment.compile(path.trim()) }
  } catch (error) {
    return { ok: false, error: `not a valid JSONPath: ${errorMessage(error).slice(0, 500)}` }
  }
}
