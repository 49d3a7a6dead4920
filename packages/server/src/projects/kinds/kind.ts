// How resources of one type are created, changed and removed. Each type has a file; `kinds/index.ts` lists them.
import {
  ApiError,
  type FieldIssue,
  fieldIssuesOf,
  type PhysicalId,
  type ResourceType,
  type Role,
  type SharedFile,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../storage/core/db.ts'
import type { Vault } from '../../storage/core/vault.ts'
import type { Payload } from '../payloads/resolve-refs.ts'

export interface DeployContext {
  accountId: string
  /** Of the caller: some resources need more than others. */
  role: Role
  vault: Vault
  clock: Clock
  /** See core/own-hosts.ts. */
  ownHosts: readonly string[]
}

export interface NewItem<Input> {
  /** Names the resource in errors. */
  label: string
  input: Input
}

interface ChangedItem<Input> extends NewItem<Input> {
  physicalId: PhysicalId
  /** Slugs of private locations that the last deployment assigned. */
  assignedBefore: readonly string[]
}

interface RemovedItem {
  label: string
  physicalId: PhysicalId
}

export type ReadPayload<Input> = { input: Input } | { issues: FieldIssue[] }

/** Methods, not function properties: the list of kinds has inputs of different types. */
export interface ResourceKind<Input> {
  /** The payload has ids instead of references. */
  read(payload: Payload, sharedFiles: readonly SharedFile[]): ReadPayload<Input>
  /** Their ids, in the order of the items. */
  create(tx: Db, context: DeployContext, items: readonly NewItem<Input>[]): Promise<PhysicalId[]>
  /** Every setting that the payload lacks gets its default. Returns ids if they may have changed. */
  update(
    tx: Db,
    context: DeployContext,
    items: readonly ChangedItem<Input>[],
  ): Promise<PhysicalId[] | undefined>
  remove(tx: Db, context: DeployContext, items: readonly RemovedItem[]): Promise<void>
  /** Those that can't become what the payload says: they are removed, and created again. */
  listReplaced?(
    tx: Db,
    accountId: string,
    items: readonly { physicalId: PhysicalId; payload: Payload }[],
  ): Promise<PhysicalId[]>
}

export function readWith<S extends z.ZodType>(schema: S, payload: unknown): ReadPayload<z.output<S>> {
  const parsed = schema.safeParse(payload, { reportInput: true })
  return parsed.success ? { input: parsed.data } : { issues: fieldIssuesOf(parsed.error.issues) }
}

/** Errors of `work` name the resource. */
async function labeled<T>(label: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const attributes = Object.fromEntries(
      Object.entries(error.attributes).map(([name, value]) => [`${label}.${name}`, value]),
    )
    // Use cases speak of what a path names, and 404 would mean the project here.
    const code = error.code === 'not_found' ? 'conflict' : error.code
    throw new ApiError(code, { message: `${label}: ${error.message}`, attributes })
  }
}

/** One after another, for resources that are few. */
export async function each<I extends { label: string }, T>(
  items: readonly I[],
  work: (item: I) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const item of items) results.push(await labeled(item.label, () => work(item)))
  return results
}

export function integerId(id: PhysicalId): number {
  return Number(id)
}

export function labelOf({
  type,
  logicalId,
  sourceFile,
}: {
  type: ResourceType
  logicalId: string
  sourceFile?: string | null | undefined
}): string {
  return sourceFile ? `${type} ${logicalId} (${sourceFile})` : `${type} ${logicalId}`
}
