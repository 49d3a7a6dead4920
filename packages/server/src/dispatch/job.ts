// A claimed run as the agent gets it: the check with its group's settings, what it can reach, and nothing else.
// Pure: everything comes in as rows, secrets open.
import {
  applyGroup,
  type CheckType,
  definitionOf,
  type EnclosingGroup,
  type Job,
  type MemberCheck,
} from '@vedette/contracts'
import { resultIdOf } from '../ingest/result-id.ts'
import type { StoredGroup } from '../storage/checks/check-groups.ts'
import { unpackCheck } from '../storage/checks/check-settings.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import type { JobRows, JobVariable } from '../storage/runs/job-rows.ts'
import type { Lane } from '../storage/runs/schedule.ts'
import { agenticScriptFor } from './agentic-script.ts'
import type { SessionOptions } from './session-job.ts'

export interface PreparedRun {
  job: Omit<Job, 'token'>
  retryStrategy: MemberCheck['retryStrategy']
  doubleCheck: boolean
  runParallel: boolean
  /** How many locations run it at once; null: one. */
  parallel: number | null
}

type Effective = MemberCheck & Record<string, unknown>

interface Script {
  name: string
  script: string
}

/** Null when the check is gone. */
export function prepareRun(
  lane: Lane & { runId: string },
  rows: JobRows,
  vault: Vault,
  session: SessionOptions | undefined,
): PreparedRun | null {
  const row = rows.checks.get(lane.checkId)
  if (row === undefined || row.account_id !== lane.accountId) return null
  const own = { ...unsealDeep(vault, row.account_id, unpackCheck(row)), id: row.id } as unknown as Effective
  const group = row.group_id === null ? undefined : rows.groups.get(row.group_id)
  const check = group === undefined ? own : applyGroup(own, enclosing(group))
  const snippets = rows.snippets.get(lane.accountId) ?? []
  const scripts = scriptsOf(check, group, snippets)
  const definition = definitionOf(row.check_type as CheckType)
  const isCode = definition.capacity === 'code'
  const hasScripts = scripts.setup.length + scripts.teardown.length > 0
  // Code that wants a proxy says so itself.
  const proxyUrl = isCode ? null : (rows.proxyUrls.get(lane.queue.slice(0, 36)) ?? null)
  const variables = variablesOf(check, group, rows.variables.get(lane.accountId) ?? [], session)
  const readsAll = hasScripts || (isCode && check.checkType !== 'AGENTIC')
  const reachable = readsAll ? variables : named(variables, [check.request, check.prompt, proxyUrl])
  const requiresSnippets = hasScripts || check.checkType === 'BROWSER' || check.checkType === 'MULTI_STEP'
  const places = (check.locations?.length ?? 0) + (check.privateLocations?.length ?? 0)
  const runParallel = check.runParallel === true
  return {
    job: {
      runId: lane.runId,
      attempt: lane.attempt,
      resultId: resultIdOf(lane.slotAt, lane.runId, lane.attempt),
      checkId: lane.checkId,
      checkType: row.check_type,
      scheduledAt: lane.slotAt,
      location: lane.location,
      check: { ...withoutSurroundings(check), ...filesOf(row) } as Job['check'],
      variables: Object.fromEntries(reachable.map(({ key, value }) => [key, value])),
      secrets: secretsOf(check, reachable),
      groupBaseUrl: (group?.apiCheckDefaults as { url?: string } | undefined)?.url || null,
      environmentUrl: session?.environmentUrl ?? null,
      proxyUrl,
      clientCertificates: definition.usesClientCertificates
        ? (rows.certificates.get(lane.accountId) ?? [])
        : [],
      ...scripts,
      snippets: requiresSnippets ? snippets.map(({ name, script }) => ({ name, script })) : [],
      // A suite brings its own.
      runtimeId:
        check.checkType === 'PLAYWRIGHT'
          ? null
          : (check.runtimeId ?? rows.runtimeIds.get(lane.accountId) ?? null),
      source: lane.testSessionId !== null ? 'test' : lane.checkSessionId !== null ? 'session' : 'schedule',
      accountId: lane.accountId,
      refreshCache: session?.refreshCache ?? false,
      agenticScript: agenticScriptFor(check.prompt, rows.agenticScripts.get(lane.checkId)),
    },
    retryStrategy: session?.retryStrategy === undefined ? check.retryStrategy : session.retryStrategy,
    doubleCheck: lane.testSessionId === null && check.doubleCheck === true,
    runParallel,
    parallel: parallelOf(lane, runParallel, places, session),
  }
}

/** An on-demand run is made in all locations at once, however its check is scheduled. */
function parallelOf(
  lane: Lane,
  runParallel: boolean,
  places: number,
  session: SessionOptions | undefined,
): number | null {
  if (lane.checkSessionId !== null) return (session?.expected ?? 1) > 1 ? (session?.expected ?? 1) : null
  return runParallel && places > 1 ? places : null
}

function enclosing(group: StoredGroup): EnclosingGroup {
  return { ...group, alertChannelSubscriptions: [] } as unknown as EnclosingGroup
}

/** What says when, where and whom to tell is not an agent's business. */
function withoutSurroundings(check: Effective): Record<string, unknown> {
  const {
    locations: _locations,
    privateLocations: _privateLocations,
    alertSettings: _alertSettings,
    useGlobalAlertSettings: _useGlobal,
    triggerIncident: _incident,
    retryStrategy: _retries,
    environmentVariables: _variables,
    localSetupScript: _setup,
    localTearDownScript: _teardown,
    ...rest
  } = check
  return rest
}

/** Not part of `unpackCheck`: they may be megabytes, and only runs read them. */
function filesOf({ check_type, dependencies }: { check_type: string; dependencies: unknown }) {
  return check_type === 'BROWSER' || check_type === 'MULTI_STEP' ? { dependencies: dependencies ?? [] } : {}
}

function scriptsOf(
  check: Effective,
  group: StoredGroup | undefined,
  snippets: readonly { id: number; name: string; script: string }[],
): { setup: Script[]; teardown: Script[] } {
  if (check.checkType !== 'API') return { setup: [], teardown: [] }
  const script = (id: unknown, local: unknown): Script[] => {
    const snippet = snippets.find((candidate) => candidate.id === id)
    if (snippet !== undefined) return [{ name: snippet.name, script: snippet.script }]
    return typeof local === 'string' && local.trim() !== '' ? [{ name: 'script', script: local }] : []
  }
  return {
    setup: [
      ...script(group?.setupSnippetId, group?.localSetupScript),
      ...script(check.setupSnippetId, check.localSetupScript),
    ],
    teardown: [
      ...script(check.tearDownSnippetId, check.localTearDownScript),
      ...script(group?.tearDownSnippetId, group?.localTearDownScript),
    ],
  }
}

/** A session's over the check's over its group's over the account's. */
function variablesOf(
  check: Effective,
  group: StoredGroup | undefined,
  global: readonly JobVariable[],
  session: SessionOptions | undefined,
): JobVariable[] {
  const layers = [
    global,
    group?.environmentVariables ?? [],
    check.environmentVariables ?? [],
    session?.environmentVariables ?? [],
  ] as readonly (readonly JobVariable[])[]
  const byKey = new Map<string, JobVariable>()
  for (const variable of layers.flat()) byKey.set(variable.key, { ...variable, value: variable.value ?? '' })
  return [...byKey.values()]
}

/** Without scripts a variable is reached only where a template names it. */
function named(variables: readonly JobVariable[], templates: unknown[]): JobVariable[] {
  const words = new Set<string>()
  for (const [expression] of JSON.stringify(templates).matchAll(/\{\{.*?\}\}/g)) {
    for (const [word] of expression.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) words.add(word)
  }
  return variables.filter(({ key }) => words.has(key))
}

interface Entry {
  value: string
  locked: boolean
}

/** Values that people hid, wherever they stand. */
function secretsOf(check: Effective, variables: readonly JobVariable[]): string[] {
  const request = (check.request ?? {}) as {
    headers?: Entry[]
    queryParameters?: Entry[]
    basicAuth?: { password: string } | null
  }
  const locked = [...(request.headers ?? []), ...(request.queryParameters ?? [])].filter(
    (entry) => entry.locked,
  )
  const hidden = variables.filter(({ secret, locked: isLocked }) => secret || isLocked)
  // Templates name secrets instead of holding them.
  const inRequest = [...locked.map(({ value }) => value), request.basicAuth?.password ?? ''].filter(
    (value) => !value.includes('{{'),
  )
  const values = [...hidden.map(({ value }) => value), ...inRequest]
  return [...new Set(values.filter((value) => value !== ''))]
}
