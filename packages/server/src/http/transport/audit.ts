// Records every request that changes something: an entry before the change, completed after it, so that no change is without
// one. What changed is the difference between what a caller with READ_ONLY reads before and after, which has no secret values.
import { randomUUID } from 'node:crypto'
import { type AnyRoute, ApiError, type AuditAction, roles } from '@vedette/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RefusedSignIn } from '../../accounts/sign-in.ts'
import { changedFields } from '../../core/changed-fields.ts'
import type { Clock } from '../../core/clock.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Log } from '../../core/log.ts'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import {
  deleteAuditEntry,
  finishAuditEntry,
  insertAuditEntry,
  insertBulkEntries,
  insertUserEntries,
  type NewAuditEntry,
  type RequestFacts,
} from '../../storage/accounts/audit-log.ts'
import type { Pool } from '../../storage/core/db.ts'
import type { Call } from './call.ts'
import type { Mounted, Work } from './mount.ts'
import { projector } from './project.ts'

/** Refusals of a key beyond them are not recorded: a script that tries again and again would fill the log. */
const refusalsPerMinute = 10

export class Audit {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #log: Log
  readonly #reads: ReadonlyMap<string, Mounted>
  readonly #refusals = new Map<string, { minute: number; count: number }>()

  constructor(deps: { pool: Pool; clock: Clock; log: Log; mounted: readonly Mounted[] }) {
    this.#pool = deps.pool
    this.#clock = deps.clock
    this.#log = deps.log
    this.#reads = new Map(
      deps.mounted.flatMap((read) => (read.route.method === 'GET' ? [[read.route.path, read]] : [])),
    )
  }

  /** Runs a handler, with an entry if it changes something of an account, or if someone signs in. */
  async record(route: AnyRoute, work: Work): Promise<unknown> {
    if (route.startsSignIn) return this.#recordSignIn(route, work)
    if (route.access === 'key' && route.method !== 'GET') return this.#recordOwn(route, work)
    return isAudited(route) && !isPreview(route, work) ? this.#recordChange(route, work) : work.run()
  }

  /** In all accounts of the user. */
  async #recordSignIn(route: AnyRoute, { call, request, run }: Work): Promise<unknown> {
    const about = { ...this.#request(route, request), action: 'other' as const, resourceId: null }
    try {
      const result = await run()
      const userId = isRecord(result) && isRecord(result.user) ? String(result.user.id) : null
      if (userId !== null)
        await this.#keep(insertUserEntries(this.#pool, { userId }, { ...about, outcome: 'done' }))
      return result
    } catch (error) {
      const user = error instanceof RefusedSignIn ? { userId: error.userId } : namedUser(call.body)
      // Not awaited: the time until the response must not show whether there is such a user.
      if (error instanceof ApiError && error.code === 'unauthorized' && user !== null)
        void this.#keep(insertUserEntries(this.#pool, user, { ...about, outcome: 'refused' }))
      throw error
    }
  }

  /** What callers change of themselves, such as their keys: in all their accounts. */
  async #recordOwn(route: AnyRoute, { call, request, run }: Work): Promise<unknown> {
    const result = await run()
    const { principal } = call
    const resourceId = idIn(result) ?? lastParam(call)
    const about = { resourceId, resourceName: nameIn(result) }
    const rest = { action: actionOf(route, undefined), outcome: 'done' as const, ...about }
    // A route that names an account changes that one.
    const named = call.params.accountId
    const accountIds = typeof named === 'string' ? [named.toLowerCase()] : principal.roles.keys()
    for (const accountId of accountIds) {
      const entry = this.#entry(route, principal, request, { ...rest, accountId })
      await this.#keep(insertAuditEntry(this.#pool, entry))
    }
    return result
  }

  async #recordChange(route: AnyRoute, { call, request, run }: Work): Promise<unknown> {
    const { id: accountId } = call.account
    const item = this.#itemRoute(route)
    const action = actionOf(route, item)
    const before = action === 'create' ? null : await this.#read(item, call, call.params)
    const listed = item === undefined && action === 'delete' ? await this.#readListed(route, call) : null
    const entry = this.#entry(route, call.principal, request, {
      accountId,
      action,
      outcome: 'unknown',
      resourceId: lastParam(call),
    })
    await insertAuditEntry(this.#pool, entry)
    try {
      const result = await run()
      const found = paramsAfter(call, item, result)
      const after = action === 'delete' ? null : await this.#read(item, call, found)
      const shown = after ?? before
      const end = {
        outcome: 'done' as const,
        // Some are named by another field, such as the key of a variable.
        resourceId: entry.resourceId ?? idIn(result) ?? lastOf(found),
        resourceName: nameIn(shown) ?? nameIn(result) ?? nameIn(listed),
        // Readers of the log may not read everything that others may.
        changes: item?.route.access === 'READ_ONLY' ? changedFields(before, after) : [],
      }
      await this.#keep(finishAuditEntry(this.#pool, entry, end))
      if (route.path === bulkPath) await this.#keep(this.#recordBulk(entry, call, result))
      return result
    } catch (error) {
      const isRefusal = error instanceof ApiError && error.status < 500
      const end = {
        outcome: 'failed' as const,
        resourceId: null,
        resourceName: nameIn(before),
        changes: [],
      }
      await this.#keep(
        isRefusal ? deleteAuditEntry(this.#pool, entry) : finishAuditEntry(this.#pool, entry, end),
      )
      throw error
    }
  }

  async #recordBulk(entry: NewAuditEntry, { body }: Call<AnyRoute>, result: unknown): Promise<void> {
    const changed = changedChecks(result)
    const isDeletion = isRecord(body) && body.action === 'delete'
    if (changed.length > 0)
      await insertBulkEntries(this.#pool, entry, isDeletion ? 'delete' : 'update', changed)
  }

  /** Requests that the role of the caller doesn't allow. */
  watchRefusals(app: FastifyInstance): void {
    app.addHook('onError', async (request, _reply, error) => {
      const route = request.routeOptions.config.contract
      const { principal } = request
      if (route === undefined || principal === null || !isAudited(route)) return
      if (!(error instanceof ApiError) || error.code !== 'forbidden') return
      const accountId = request.account?.id ?? accountOf(request, principal)
      if (accountId === null || !this.#isWithinLimit(principal.keyId)) return
      const entry = this.#entry(route, principal, request, {
        accountId,
        action: actionOf(route, this.#itemRoute(route)),
        outcome: 'refused',
        resourceId: null,
      })
      await this.#keep(insertAuditEntry(this.#pool, entry))
    })
  }

  #isWithinLimit(keyId: string): boolean {
    const minute = Math.floor(this.#clock.now() / 60_000)
    if (this.#refusals.size > 1_000) this.#refusals.clear()
    const known = this.#refusals.get(keyId)
    const count = known?.minute === minute ? known.count + 1 : 1
    this.#refusals.set(keyId, { minute, count })
    return count <= refusalsPerMinute
  }

  #entry(
    route: AnyRoute,
    { userId, keyId }: Principal,
    request: Work['request'],
    rest: Pick<NewAuditEntry, 'accountId' | 'action' | 'outcome' | 'resourceId' | 'resourceName'>,
  ): NewAuditEntry {
    return { id: randomUUID(), userId, keyId, ...this.#request(route, request), ...rest }
  }

  #request(route: AnyRoute, request: Work['request']): RequestFacts {
    return {
      at: this.#clock.now(),
      source: sourceOf(request.headers),
      address: request.ip,
      requestId: request.id,
      operation: `${route.method} ${route.path}`,
      summary: route.summary,
      resourceKind: route.tag,
    }
  }

  /** The route that reads the resource which this one changes. */
  #itemRoute({ method, path }: AnyRoute): Mounted | undefined {
    // /v1/checks/api and /v1/checks/api/{id} change what /v1/checks/{id} reads.
    const own = path.replace(/^\/v1\/checks\/[a-z-]+(?=\/\{|$)/, '/v1/checks').replace(/^\/v2\//, '/v1/')
    if (method !== 'POST') return this.#reads.get(own)
    for (const [read, mounted] of this.#reads)
      if (read.startsWith(`${own}/{`) && !read.includes('/', own.length + 1)) return mounted
    return undefined
  }

  /** Null: there is nothing to read, or it can't be read. */
  async #read(
    item: Mounted | undefined,
    call: Call<AnyRoute>,
    params: Record<string, unknown> | null,
  ): Promise<unknown> {
    if (item === undefined || params === null || item.route.response === undefined) return null
    try {
      const query = item.route.query?.parse({}) ?? {}
      const found = await item.run(readingCall(call, params, query))
      const value = projector(item.route.response)(found)
      return JSON.parse(JSON.stringify(value))
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) this.#log.warn({ err: error }, 'audit.unread')
      return null
    }
  }

  /** What a list has under the id of the path, if there is no route that reads it alone: only its name is used. */
  async #readListed(route: AnyRoute, call: Call<AnyRoute>): Promise<unknown> {
    const list = this.#reads.get(route.path.replace(/\/\{\w+\}$/, ''))
    if (list === undefined || list.route.paged) return null
    const entries = await this.#read(list, call, {})
    return Array.isArray(entries) ? entries.find((entry) => idIn(entry) === lastParam(call)) : null
  }

  /** The request has been carried out, whatever becomes of its entry. */
  async #keep(writing: Promise<void>): Promise<void> {
    await writing.catch((error: unknown) => this.#log.error({ err: error }, 'audit.incomplete'))
  }
}

function namedUser(body: unknown): { email: string } | null {
  return isRecord(body) && typeof body.email === 'string' ? { email: body.email } : null
}

const bulkPath = '/v1/bulk-actions'

function changedChecks(result: unknown): { id: string; name: string | null }[] {
  const items = isRecord(result) && Array.isArray(result.items) ? result.items.filter(isRecord) : []
  return items.flatMap(({ checkId, name, outcome }) =>
    outcome === 'changed' ? [{ id: String(checkId), name: typeof name === 'string' ? name : null }] : [],
  )
}

function isAudited({ method, access, changesNothing = false }: AnyRoute): boolean {
  return !changesNothing && method !== 'GET' && access !== 'public' && access !== 'agent' && access !== 'key'
}

/** A bulk action that changes nothing. */
function isPreview({ path }: AnyRoute, { call: { body } }: Work): boolean {
  return path === bulkPath && isRecord(body) && body.dryRun === true
}

function actionOf({ method }: AnyRoute, item: Mounted | undefined): AuditAction {
  if (method === 'DELETE') return 'delete'
  if (method !== 'POST') return 'update'
  return item === undefined ? 'other' : 'create'
}

function lastParam({ params }: Call<AnyRoute>): string | null {
  return lastOf(params)
}

function lastOf(params: Record<string, unknown> | null): string | null {
  const last = Object.values(params ?? {}).at(-1)
  return last === undefined ? null : String(last)
}

/** The parameters that read what a request has created or changed. Null: they aren't known. */
function paramsAfter(
  call: Call<AnyRoute>,
  item: Mounted | undefined,
  result: unknown,
): Record<string, unknown> | null {
  const names = Object.keys(item?.route.params?.shape ?? {})
  const params: Record<string, unknown> = { ...call.params }
  const missing = names.filter((name) => !(name in params))
  if (missing.length === 0) return params
  const [name] = missing
  const id = isRecord(result) && name !== undefined ? (result[name] ?? result.id) : undefined
  return missing.length > 1 || name === undefined || id === undefined ? null : { ...params, [name]: id }
}

/** A call by the same caller, with the lowest role and without a body. */
function readingCall(
  { principal, signal, request, account }: Call<AnyRoute>,
  params: Record<string, unknown>,
  query: Record<string, unknown>,
): Call<AnyRoute> {
  return {
    ...{ params, query, principal, caller: principal, signal, request, body: undefined },
    account: { id: account.id, role: roles[0] },
    judgeFieldsBy: () => undefined,
    warn: () => undefined,
    setHeader: () => undefined,
    isStillAllowed: async () => true,
    bytes: (async function* () {})(),
    get agent(): never {
      throw new Error('a read for the audit log has no agent')
    },
  }
}

function accountOf({ headers }: FastifyRequest, { roles: own }: Principal): string | null {
  const named = headers['x-service-account'] ?? headers['x-checkly-account']
  const id = named === undefined || named === '' ? [...own.keys()][0] : String(named).toLowerCase()
  return id !== undefined && own.has(id) ? id : null
}

function sourceOf(headers: FastifyRequest['headers']): string {
  if (headers['x-vedette-app'] !== undefined) return 'app'
  const named = String(headers['x-checkly-source'] ?? '').trim()
  return /^[\w .:/-]{1,50}$/.test(named) ? named.toLowerCase() : 'api'
}

function idIn(value: unknown): string | null {
  return isRecord(value) && (typeof value.id === 'string' || typeof value.id === 'number')
    ? String(value.id)
    : null
}

function nameIn(value: unknown): string | null {
  if (!isRecord(value)) return null
  const names = [value.name, value.key, value.email, value.host, value.summary]
  return names.find((name) => typeof name === 'string') ?? null
}
