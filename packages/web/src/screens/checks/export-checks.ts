// Selected checks as a file of constructs.

import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { call, callList } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { download } from '../../core/download.ts'
import type { SelectedChecks } from './deeds.ts'

/** So few are read one by one; others with all checks, a page at a time. */
const fewChecks = 20
const overviewLimit = 200
const listLimit = 100

/** Returns how many were exported. */
export async function exportChecks(
  selection: SelectedChecks,
  onProgress: (done: number) => void,
): Promise<number> {
  const ids = 'checkIds' in selection ? selection.checkIds : await readIds(selection.filter)
  const checks = ids.length <= fewChecks ? await readFew(ids, onProgress) : await readMany(ids, onProgress)
  download('checks.check.ts', resourcesAsConstructs({ checks }), 'text/typescript')
  return checks.length
}

async function readIds(filter: Extract<SelectedChecks, { filter: object }>['filter']): Promise<string[]> {
  const ids: string[] = []
  while (true) {
    const query = { ...filter, sort: 'name' as const, limit: overviewLimit, offset: ids.length }
    const { entries } = await call('GET /v1/overview/checks', { query })
    ids.push(...entries.map(({ id }) => id))
    if (entries.length < overviewLimit) return ids
  }
}

async function readFew(ids: readonly string[], onProgress: (done: number) => void): Promise<Check[]> {
  const checks: Check[] = []
  for (const id of ids) {
    checks.push(await call('GET /v1/checks/{id}', { params: { id } }))
    onProgress(checks.length)
  }
  return checks
}

async function readMany(ids: readonly string[], onProgress: (done: number) => void): Promise<Check[]> {
  const wanted = new Set(ids)
  const checks: Check[] = []
  for (let page = 1; ; page += 1) {
    const { entries, total } = await callList('GET /v1/checks', { query: { limit: listLimit, page } })
    checks.push(...entries.filter(({ id }) => wanted.has(id)))
    onProgress(checks.length)
    if (page * listLimit >= total || checks.length === wanted.size) return checks
  }
}
