// Deploys a project in the transaction of the caller: all of its resources are changed, or none.
import { createHash } from 'node:crypto'
import {
  type FieldIssue,
  invalidInput,
  isRecord,
  keysOf,
  type PhysicalId,
  type ProjectChange,
  type ProjectDeployResult,
  physicalIdTypes,
  ResourceType,
} from '@vedette/contracts'
import { runDeployedChecks } from '../runs/trigger-checks.ts'
import { useUploads } from '../storage/checks/code-bundles.ts'
import { insertDeployment } from '../storage/checks/deployments.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import {
  type Binding,
  bindResources,
  listProjectResources,
  unbindResources,
} from '../storage/projects/project-resources.ts'
import {
  deleteProject,
  findProject,
  insertProject,
  lockProject,
  type ProjectRow,
  updateProject,
} from '../storage/projects/projects.ts'
import { readVersions, resourceKey } from '../storage/projects/resource-versions.ts'
import { listPrivateLocationIds } from '../storage/runs/private-locations.ts'
import { type Bound, type Plan, planChanges } from './diff.ts'
import { locationOf } from './kinds/assignments.ts'
import { kinds, removedFirst, removedLast } from './kinds/index.ts'
import { type DeployContext, labelOf } from './kinds/kind.ts'
import { type Payload, resolveReferences } from './payloads/resolve-refs.ts'
import { type Member, type Prepared, referenceKey, withSlugs } from './prepare.ts'

export interface DeployOptions {
  preservesResources: boolean
  /** Runs created and changed checks once. */
  runsChecks: boolean
}

/** Called between batches, with the part that is done. Throws if the deployment is to stop. */
export type ReportProgress = (done: number) => Promise<void>

interface BoundRow extends Bound {
  payloadHash: string | null
  version: string | null
  sourceFile: string | null
  importPlanId: string | null
}

interface State {
  bound: BoundRow[]
  /** By `resourceKey`: of what is bound, and of what members refer to. */
  versions: Map<string, string>
}

/** What a deployment would do. Nothing is written. */
export async function previewDeployment(
  db: Db,
  { accountId }: Pick<DeployContext, 'accountId'>,
  prepared: Prepared,
  options: Pick<DeployOptions, 'preservesResources'>,
): Promise<ProjectDeployResult> {
  const project = await findProject(db, accountId, prepared.project.logicalId)
  const state = await readState(db, accountId, project, prepared)
  const plan = planOf(prepared, state, options)
  const { logicalId, name } = prepared.project
  return {
    project: { ...(project !== null && { id: project.id }), logicalId, name },
    diff: diffOf(
      prepared,
      plan,
      new Map(plan.updated.map(({ member, bound }) => [member, bound.physicalId])),
    ),
  }
}

/** Changes are in batches of this size: a deployment can be canceled in between. */
const batchSize = 250

export async function deployProject(
  tx: Db,
  context: DeployContext,
  prepared: Prepared,
  options: DeployOptions,
  report: ReportProgress,
): Promise<ProjectDeployResult> {
  const { accountId, clock } = context
  const project = await openProject(tx, context, prepared)
  const state = await readState(tx, accountId, project, prepared)
  const plan = planOf(prepared, state, options)
  const idOf = new Map<string, PhysicalId>(
    prepared.others.map((other) => [referenceKey(other), other.physicalId]),
  )
  for (const { member, bound } of plan.updated) idOf.set(referenceKey(member), bound.physicalId)
  const resolve = (member: Member, slugOf?: (id: string) => string | undefined) => {
    const { payload } = resolveReferences(member.type, member.payload, (ref) => idOf.get(referenceKey(ref)))
    return withSlugs(payload, slugOf ?? (() => undefined))
  }
  await replaceWhereNeeded(tx, accountId, plan, resolve)
  for (const { type, logicalId } of plan.deleted) idOf.delete(referenceKey({ type, logicalId }))

  await remove(tx, context, plan, removedFirst)
  const uploads = await requireUploads(tx, context, prepared)
  const fileHashes = prepared.sharedFiles.map(({ path, content }) => digest(`${path}\n${content}`))
  const assigned = assignedBefore(state, options)
  const created = new Set(plan.created)
  const boundOf = new Map(plan.updated.map(({ member, bound }) => [member, bound]))
  const byType = Map.groupBy(prepared.members, ({ type }) => type)
  const ids = new Map<Member, PhysicalId>()
  const written: { member: Member; hash: string }[] = []
  let done = 0
  for (const type of keysOf(kinds)) {
    const slugs = invert(await listPrivateLocationIds(clientOf(tx), accountId))
    for (const batch of batchesOf(type, byType.get(type) ?? [])) {
      await report(done / Math.max(1, prepared.members.length))
      const items = batch.map((member) => {
        const payload = resolve(member, (id) => slugs.get(id))
        const hash = hashOf(context, payload, { uploads, fileHashes })
        return { member, payload, hash, bound: created.has(member) ? undefined : boundOf.get(member) }
      })
      const changed = items.filter(
        ({ bound, hash }) =>
          bound === undefined ||
          bound.payloadHash !== hash ||
          bound.version !== (state.versions.get(resourceKey(bound)) ?? null),
      )
      const read = changed.map((item) => ({ ...item, ...readItem(item, prepared) }))
      const fresh = read.filter(({ bound }) => bound === undefined)
      if (fresh.length > 0) {
        const newIds = await kinds[type].create(tx, context, fresh)
        for (const [index, { member }] of fresh.entries()) setId(member, newIds[index])
      }
      const updates = read.flatMap(({ bound, ...item }) =>
        bound === undefined
          ? []
          : [{ ...item, physicalId: bound.physicalId, assignedBefore: slugsOf(assigned, bound, slugs) }],
      )
      if (updates.length > 0) {
        const newIds = await kinds[type].update(tx, context, updates)
        for (const [index, { member, physicalId }] of updates.entries())
          setId(member, newIds?.[index] ?? physicalId)
      }
      for (const { member, bound } of items) if (bound && !ids.has(member)) setId(member, bound.physicalId)
      written.push(...changed)
      done += batch.length
    }
  }
  await remove(tx, context, plan, removedLast)
  await report(done / Math.max(1, prepared.members.length))
  await bind(tx, context, project, written, ids, boundOf, plan)
  await recordMark(tx, context, prepared)
  if (options.runsChecks) {
    const checkIds = written.flatMap(({ member }) =>
      member.type === 'check' ? [String(ids.get(member))] : [],
    )
    await runDeployedChecks(tx, accountId, checkIds, clock.now())
  }
  const { logicalId, name } = prepared.project
  return { project: { id: project.id, logicalId, name }, diff: diffOf(prepared, plan, ids) }

  function setId(member: Member, id: PhysicalId | undefined): void {
    if (id === undefined) throw new Error(`${member.label} has no id`)
    ids.set(member, id)
    idOf.set(referenceKey(member), id)
  }
}

/** Deletes the project and its resources, or only the project. */
export async function removeProject(
  tx: Db,
  context: DeployContext,
  logicalId: string,
  options: Pick<DeployOptions, 'preservesResources'>,
  report: ReportProgress,
): Promise<ProjectDeployResult> {
  const project = await lockProject(tx, context.accountId, logicalId)
  if (project === null) return { project: { logicalId, name: logicalId }, diff: [] }
  const { plan, result } = await planRemoval(tx, context.accountId, project, options)
  await report(0)
  await remove(tx, context, plan, removedFirst)
  await report(0.5)
  await remove(tx, context, plan, removedLast)
  await deleteProject(tx, context.accountId, project.id)
  return result
}

/** What deleting the project would do. Null: the account doesn't have it. */
export async function previewRemoval(
  db: Db,
  accountId: string,
  logicalId: string,
  options: Pick<DeployOptions, 'preservesResources'>,
): Promise<ProjectDeployResult | null> {
  const project = await findProject(db, accountId, logicalId)
  return project === null ? null : (await planRemoval(db, accountId, project, options)).result
}

async function planRemoval(
  db: Db,
  accountId: string,
  project: ProjectRow,
  { preservesResources }: Pick<DeployOptions, 'preservesResources'>,
) {
  const { bound, versions } = await readState(db, accountId, project, null)
  const plan = planChanges<Member, BoundRow>([], bound, {
    exists: (row) => isAssignment(row) || versions.has(resourceKey(row)),
    preservesResources,
  })
  const { logical_id: logicalId, name, id } = project
  return { plan, result: { project: { id, logicalId, name }, diff: removalsOf(plan) } }
}

async function openProject(tx: Db, { accountId, clock }: DeployContext, { project }: Prepared) {
  const stored = await lockProject(tx, accountId, project.logicalId)
  if (stored === null) return insertProject(tx, accountId, project)
  if (stored.name !== project.name || stored.repo_url !== (project.repoUrl ?? null))
    await updateProject(tx, accountId, stored.id, project, clock.now())
  return stored
}

async function readState(
  db: Db,
  accountId: string,
  project: ProjectRow | null,
  prepared: Prepared | null,
): Promise<State> {
  const rows = project === null ? [] : await listProjectResources(db, accountId, project.id)
  const bound = rows.map((row) => ({
    type: ResourceType.parse(row.type),
    logicalId: row.logical_id,
    physicalId: physicalIdOf(ResourceType.parse(row.type), row.physical_id),
    isPending: row.import_plan_id !== null,
    payloadHash: row.payload_hash,
    version: row.version,
    sourceFile: row.source_file,
    importPlanId: row.import_plan_id,
  }))
  const others = prepared?.others ?? []
  const versions = await readVersions(db, accountId, [...bound, ...others])
  const missing = others.filter((other) => !versions.has(resourceKey(other)))
  if (missing.length > 0)
    throw invalidInput(
      missing.map(({ label, physicalId }) => ({
        path: [label],
        message: `doesn't exist in this account: ${physicalId}`,
      })),
    )
  return { bound, versions }
}

function isAssignment({ type }: Pick<Bound, 'type'>): boolean {
  return type === 'private-location-check-assignment' || type === 'private-location-group-assignment'
}

type DeployPlan = Plan<Member, BoundRow>

function planOf(
  { members }: Prepared,
  { bound, versions }: State,
  { preservesResources }: Pick<DeployOptions, 'preservesResources'>,
): DeployPlan {
  const exists = (row: BoundRow) => isAssignment(row) || versions.has(resourceKey(row))
  return planChanges(members, bound, { exists, preservesResources })
}

/** A check of another type, or a component of another page, is deleted and created again. */
async function replaceWhereNeeded(
  tx: Db,
  accountId: string,
  plan: DeployPlan,
  resolve: (member: Member) => Payload,
): Promise<void> {
  for (const [type, updates] of Map.groupBy(plan.updated, ({ member }) => member.type)) {
    const kind = kinds[type]
    if (kind.listReplaced === undefined) continue
    const items = updates.map(({ member, bound }) => ({
      physicalId: bound.physicalId,
      payload: resolve(member),
    }))
    const replaced = new Set(await kind.listReplaced(tx, accountId, items))
    if (replaced.size === 0) continue
    const isReplaced = ({ bound }: { bound: BoundRow }) =>
      bound.type === type && replaced.has(bound.physicalId)
    const again = plan.updated.filter(isReplaced)
    plan.updated = plan.updated.filter((update) => !isReplaced(update))
    plan.created.push(...again.map(({ member }) => member))
    plan.deleted.push(...again.map(({ bound }) => bound))
  }
}

async function remove(
  tx: Db,
  context: DeployContext,
  plan: DeployPlan,
  types: readonly ResourceType[],
): Promise<void> {
  for (const type of types) {
    const items = plan.deleted.filter((bound) => bound.type === type)
    if (items.length === 0) continue
    await kinds[type].remove(
      tx,
      context,
      items.map((bound) => ({ physicalId: bound.physicalId, label: labelOf(bound) })),
    )
  }
}

/** Components may refer to components of the same batch, so each is a batch of its own. */
function batchesOf(type: ResourceType, members: readonly Member[]): Member[][] {
  const size = type === 'status-page-component' ? 1 : batchSize
  const batches: Member[][] = []
  for (let from = 0; from < members.length; from += size) batches.push(members.slice(from, from + size))
  return batches
}

function readItem(
  { member, payload }: { member: Member; payload: Payload },
  { sharedFiles }: Prepared,
): { label: string; input: unknown } {
  const read = kinds[member.type].read(payload, sharedFiles)
  if ('issues' in read)
    throw invalidInput(
      read.issues.map(({ path, message }): FieldIssue => ({ path: [member.label, ...path], message })),
    )
  return { label: member.label, input: read.input }
}

/** Private locations that the last deployment assigned, by the key of the check or group. */
function assignedBefore(
  { bound }: State,
  { preservesResources }: Pick<DeployOptions, 'preservesResources'>,
): Map<string, string[]> {
  const assigned = new Map<string, string[]>()
  if (preservesResources) return assigned
  for (const row of bound) {
    if (!isAssignment(row)) continue
    const text = String(row.physicalId)
    const type = row.type === 'private-location-check-assignment' ? 'check' : 'check-group'
    const key = resourceKey({ type, physicalId: text.slice(0, text.indexOf('/')) })
    assigned.set(key, [...(assigned.get(key) ?? []), locationOf(text)])
  }
  return assigned
}

function slugsOf(
  assigned: ReadonlyMap<string, string[]>,
  bound: BoundRow,
  slugs: ReadonlyMap<string, string>,
): string[] {
  return (assigned.get(resourceKey(bound)) ?? []).flatMap((id) => slugs.get(id) ?? [])
}

function invert(ids: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...ids].map(([slug, id]) => [id, slug]))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Snapshots must be uploads of this account. The use case of checks looks up the archives of suites. */
async function requireUploads(tx: Db, { accountId, clock }: DeployContext, prepared: Prepared) {
  const uploads = await useUploads(tx, accountId, uploadsOf(prepared), clock.now())
  const issues = prepared.members.flatMap(({ label, payload }) =>
    snapshotKeys(payload.snapshots).flatMap((key, index) =>
      uploads.has(key) ? [] : [{ path: [label, 'snapshots', index, 'key'], message: 'does not exist' }],
    ),
  )
  if (issues.length > 0) throw invalidInput(issues)
  return uploads
}

/** Paths of uploads that payloads name. */
function uploadsOf({ members }: Prepared): string[] {
  return members.flatMap(({ payload: { codeBundlePath, snapshots } }) => [
    ...(typeof codeBundlePath === 'string' ? [codeBundlePath] : []),
    ...snapshotKeys(snapshots),
  ])
}

function snapshotKeys(snapshots: unknown): string[] {
  if (!Array.isArray(snapshots)) return []
  return snapshots.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry.key === 'string' ? [entry.key] : [],
  )
}

/**
 * Keyed, since payloads have secrets that could be guessed. Uploads and shared files count by their content: clients upload
 * them again each time.
 */
function hashOf(
  { accountId, vault }: DeployContext,
  payload: Payload,
  { uploads, fileHashes }: { uploads: ReadonlyMap<string, string>; fileHashes: readonly string[] },
): string {
  const known: Record<string, unknown> = { ...payload }
  for (const name of ['dependencies', 'setupScriptDependencies', 'tearDownScriptDependencies']) {
    const list = payload[name]
    if (Array.isArray(list)) known[name] = list.map((index: unknown) => fileHashes[Number(index)] ?? index)
  }
  const upload = (path: unknown) => (typeof path === 'string' ? (uploads.get(path) ?? path) : path)
  if ('codeBundlePath' in payload) known.codeBundlePath = upload(payload.codeBundlePath)
  if (Array.isArray(payload.snapshots))
    known.snapshots = payload.snapshots.map((entry: unknown) =>
      isRecord(entry) ? { ...entry, key: upload(entry.key) } : entry,
    )
  return vault.sign(`project resource ${accountId} ${JSON.stringify(known)}`)
}

async function bind(
  tx: Db,
  { accountId, clock }: DeployContext,
  project: ProjectRow,
  written: readonly { member: Member; hash: string }[],
  ids: ReadonlyMap<Member, PhysicalId>,
  boundOf: ReadonlyMap<Member, BoundRow>,
  plan: DeployPlan,
): Promise<void> {
  await unbindResources(tx, accountId, project.id, [...plan.deleted, ...plan.detached, ...plan.gone])
  const resources = written.map(({ member, hash }) => ({
    member,
    hash,
    type: member.type,
    physicalId: ids.get(member) ?? '',
  }))
  const versions = await readVersions(tx, accountId, resources)
  const bindings = resources.map(
    ({ member, hash, type, physicalId }): Binding => ({
      accountId,
      projectId: project.id,
      type,
      logicalId: member.logicalId,
      physicalId,
      payloadHash: hash,
      version: versions.get(resourceKey({ type, physicalId })) ?? null,
      sourceFile: member.sourceFile,
      importPlanId: boundOf.get(member)?.importPlanId ?? null,
    }),
  )
  await bindResources(tx, bindings, clock.now())
}

/** Analyses of failures look for deployments. */
async function recordMark(tx: Db, { accountId, clock }: DeployContext, { repoInfo, project }: Prepared) {
  if (!repoInfo?.commitId) return
  const short = (text: string | null | undefined) => text?.slice(0, 500) || null
  await insertDeployment(tx, {
    account_id: accountId,
    environment_name: null,
    environment_url: null,
    repository: short(repoInfo.repoUrl ?? project.repoUrl),
    sha: short(repoInfo.commitId),
    deployment_id: short(project.logicalId),
    check_id: null,
    group_id: null,
    created_at: new Date(clock.now()),
  })
}

function diffOf(
  { members }: Prepared,
  plan: DeployPlan,
  ids: ReadonlyMap<Member, PhysicalId>,
): ProjectChange[] {
  const created = new Set(plan.created.map(referenceKey))
  return [
    ...members.map((member): ProjectChange => {
      const { type, logicalId } = member
      const id = ids.get(member)
      const action = created.has(referenceKey(member)) ? 'CREATE' : 'UPDATE'
      return { type, logicalId, ...(id !== undefined && { physicalId: id }), action }
    }),
    // One that is replaced is not listed twice.
    ...removalsOf(plan).filter((removal) => !created.has(referenceKey(removal))),
  ]
}

function removalsOf({ deleted, detached }: Pick<DeployPlan, 'deleted' | 'detached'>): ProjectChange[] {
  const change = (action: ProjectChange['action']) => (bound: BoundRow) => {
    const { type, logicalId, physicalId } = bound
    return { type, logicalId, physicalId, action }
  }
  return [...deleted.map(change('DELETE')), ...detached.map(change('DETACHED'))]
}

/** Ids are texts in the table of bindings. */
function physicalIdOf(type: ResourceType, text: string): PhysicalId {
  return physicalIdTypes[type]?.safeParse(1).success ? Number(text) : text
}
