import {
  type CheckResult,
  getCheckResult,
  listAccountResults,
  listCheckResults,
  listCheckResultsByCursor,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { findCheckName, listCheckNames } from '../../storage/checks/check-names.ts'
import * as results from '../../storage/results/result-reads.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { windowOf } from '../transport/time-window.ts'
import { readResultCursor, writeResultCursor } from './result-cursor.ts'
import { linkedFiles, requireResult } from './result-files.ts'
import { serializeResult } from './serialize-result.ts'

type Field = keyof z.output<typeof CheckResult>

export function checkResultRoutes(deps: Deps): Mounted[] {
  const { clock, store } = deps
  const { db } = store
  return [
    handle(listCheckResults, async ({ account, params, query }) => {
      const window = windowOf(query, clock.now())
      const { id, name } = orNotFound(await findCheckName(db, account.id, params.checkId))
      const of = { accountId: account.id, checkId: id, withDetail: true }
      const { items, total } = await results.listResults(db, of, { ...query, ...window })
      return { items: items.map((row) => serializeResult(row, name)), total }
    }),
    handle(listCheckResultsByCursor, async ({ account, params, query }) => {
      const { fields, limit } = query
      const after = readResultCursor(query.nextId)
      const { id, name } = orNotFound(await findCheckName(db, account.id, params.checkId))
      const of = { accountId: account.id, checkId: id, withDetail: needsDetail(fields) }
      const rows = await results.listResultsAfter(db, of, { ...query, ...inMilliseconds(query), after })
      return pageOf(rows, limit, (row) => pick(serializeResult(row, name), fields))
    }),
    handle(listAccountResults, async ({ account, query }) => {
      const { fields, limit, checkId: ids, tag: tags } = query
      const after = readResultCursor(query.nextId)
      const isChosen = ids !== undefined || tags !== undefined
      const chosen = isChosen ? await listCheckNames(db, account.id, { ids, tags }) : null
      const checkIds = chosen === null ? null : [...chosen.keys()]
      const of = { accountId: account.id, checkIds, withDetail: needsDetail(fields) }
      const filter = { ...query, ...inMilliseconds(query), after }
      const rows = await results.listAccountResultsAfter(db, of, filter)
      const shown = [...new Set(rows.map(({ check_id }) => check_id))]
      const names = chosen ?? (await listCheckNames(db, account.id, { ids: shown }))
      return pageOf(rows, limit, (row) => pick(serializeResult(row, names.get(row.check_id) ?? ''), fields))
    }),
    handle(getCheckResult, async ({ account, params }) => {
      const { row, check } = await requireResult(db, account.id, params)
      const scheduledAt = Date.parse(row.scheduled_at)
      const files = await linkedFiles(deps, account.id, row, { resultId: row.id, scheduledAt })
      return serializeResult(row, check.name, files)
    }),
  ]
}

function inMilliseconds({ from, to }: { from?: number | undefined; to?: number | undefined }) {
  return { from: milliseconds(from), to: milliseconds(to) }
}

/** `rows`: one more than the limit, if there are more. */
function pageOf<T>(rows: results.ResultRow[], limit: number, serialize: (row: results.ResultRow) => T) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    length: shown.length,
    entries: shown.map(serialize),
    nextId: rows.length > limit && last !== undefined ? writeResultCursor(last) : null,
  }
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)

/** Fields of the evidence, which is far larger than the row. */
const fromDetail: ReadonlySet<Field> = new Set([
  'failure',
  'apiCheckResult',
  'tcpCheckResult',
  'dnsCheckResult',
  'icmpCheckResult',
  'browserCheckResult',
  'multiStepCheckResult',
  'agenticCheckResult',
  'playwrightCheckResult',
  'diagnostics',
])

function needsDetail(fields: Field[] | undefined): boolean {
  return fields === undefined || fields.some((field) => fromDetail.has(field))
}

function pick<T extends object>(result: T, fields: (keyof T)[] | undefined): Partial<T> {
  if (fields === undefined) return result
  const picked: Partial<T> = {}
  for (const field of fields) picked[field] = result[field]
  return picked
}
