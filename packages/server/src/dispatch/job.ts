// A claimed run as the agent receives it: the check with the settings of its group, and only what the run can use.
// Pure: everything comes in as rows, secrets open.
import { createHash } from 'node:crypto'
import {
  applyGroup,
  type CheckType,
  type CheckTypes,
  definitionOf,
  type Job,
  type JobCheck,
  type RetryStrategy,
  type ServerOnlyField,
} from '@vedette/contracts'
import type { z } from 'zod'
import { resultIdOf } from '../ingest/result-id.ts'
import { locationKeyOf } from '../schedule/queue.ts'
import type { OpenScript } from '../storage/checks/agentic-scripts.ts'
import { unpackCheck, unpackHookFiles } from '../storage/checks/check-settings.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import type { DraftGroup } from '../storage/runs/drafts.ts'
import type { JobRows, JobVariable } from '../storage/runs/job-rows.ts'
import type { Lane } from '../storage/runs/schedule.ts'
import type { SessionOptions } from './session-options.ts'

export interface PreparedRun {
  job: Omit<Job, 'token'>
  retryStrategy: z.output<typeof RetryStrategy> | null
  doubleCheck: boolean
  runParallel: boolean
  /** How many locations run it at once; null: one. */
  parallel: number | null
}

type CheckOf<T extends CheckType> = z.output<CheckTypes[T]['input']>

/** What rows of every type have, or may have. */
type SharedFields = { id: string } & Partial<
  Pick<
    CheckOf<'API'>,
    Extract<keyof CheckOf<'API'>, ServerOnlyField> | 'runParallel' | 'doubleCheck' | 'runtimeId'
  > &
    Pick<CheckOf<'BROWSER'>, 'environmentVariables'>
>

/** A stored check with its secrets open. */
type OpenCheck = { [T in CheckType]: CheckOf<T> & SharedFields }[CheckType]

/** Null if the check or the draft was deleted. */
export function prepareRun(
  lane: Lane & { runId: string },
  rows: JobRows,
  vault: Vault,
  session: SessionOptions | undefined,
): PreparedRun | null {
  const own = findCheck(lane, rows, vault)
  if (own === null) return null
  const group = findDraftGroup(lane, rows) ?? rows.groups.get(own.groupId ?? 0)
  const check = group === undefined ? own : applyGroup(own, { ...group, alertChannelSubscriptions: [] })
  const snippets = rows.snippets.get(lane.accountId) ?? []
  const scripts = scriptsOf(check, group, snippets)
  const definition = definitionOf(check.checkType)
  const isCode = definition.capacity === 'code'
  const hasScripts = scripts.setup.length + scripts.teardown.length > 0
  // Code configures a proxy itself.
  const proxyUrl = isCode ? null : (rows.proxyUrls.get(locationKeyOf(lane.queue)) ?? null)
  const variables = variablesOf(check, group, rows.variables.get(lane.accountId) ?? [], session)
  const prompt = check.checkType === 'AGENTIC' ? check.prompt : null
  const readsAllVariables = hasScripts || (isCode && prompt === null)
  const request = 'request' in check ? check.request : null
  const usableVariables = readsAllVariables ? variables : filterNamed(variables, [request, prompt, proxyUrl])
  const locationCount = (check.locations?.length ?? 0) + (check.privateLocations?.length ?? 0)
  const runParallel = check.runParallel === true
  return {
    job: {
      runId: lane.runId,
      attempt: lane.attempt,
      resultId: resultIdOf(lane.slotAt, lane.runId, lane.attempt),
      checkId: own.id,
      checkType: check.checkType,
      scheduledAt: lane.slotAt,
      location: lane.location,
      check: agentSettings(check),
      variables: Object.fromEntries(usableVariables.map(({ key, value }) => [key, value])),
      secrets: secretsOf(check, usableVariables),
      groupBaseUrl: group?.apiCheckDefaults.url || null,
      environmentUrl: session?.environmentUrl ?? null,
      proxyUrl,
      clientCertificates: definition.usesClientCertificates
        ? (rows.certificates.get(lane.accountId) ?? [])
        : [],
      ...scripts,
      snippets:
        hasScripts || hasFiles(check.checkType) ? snippets.map(({ name, script }) => ({ name, script })) : [],
      // A suite brings its own.
      runtimeId:
        check.checkType === 'PLAYWRIGHT'
          ? null
          : (check.runtimeId ?? rows.runtimeIds.get(lane.accountId) ?? null),
      source: sourceOf(lane),
      accountId: lane.accountId,
      refreshCache: session?.refreshCache ?? false,
      // Only test sessions can be followed.
      ...(isCode && lane.testSessionId !== null && { streamLogs: true }),
      agenticScript: agenticScriptFor(prompt, rows.agenticScripts.get(own.id)),
    },
    retryStrategy:
      (session?.retryStrategy === undefined ? check.retryStrategy : session.retryStrategy) ?? null,
    doubleCheck: lane.testSessionId === null && check.doubleCheck === true,
    runParallel,
    parallel: parallelOf(lane, runParallel, locationCount, session),
  }
}

export function sourceOf({
  testSessionId,
  checkSessionId,
}: Pick<Lane, 'testSessionId' | 'checkSessionId'>): Job['source'] {
  if (testSessionId !== null) return 'test'
  return checkSessionId === null ? 'schedule' : 'session'
}

/** A draft of a stored check has the id of that check, which scripts can read. */
function findCheck({ checkId, draftId, accountId }: Lane, rows: JobRows, vault: Vault): OpenCheck | null {
  if (draftId === null) {
    const row = rows.checks.get(checkId)
    return row?.account_id === accountId ? openCheck(row, vault) : null
  }
  const draft = rows.drafts.get(draftId)
  if (draft?.accountId !== accountId) return null
  return { ...draft.values, id: draft.checkId ?? draft.id } as OpenCheck
}

function findDraftGroup({ draftId }: Lane, { drafts }: JobRows): DraftGroup | undefined {
  return draftId === null ? undefined : drafts.get(draftId)?.group
}

type CheckRow = NonNullable<ReturnType<JobRows['checks']['get']>>

/** The row was written through the contract of its type; parsing it again for each run is too slow. */
function openCheck(row: CheckRow, vault: Vault): OpenCheck {
  const files = hasFiles(row.check_type)
    ? { dependencies: row.dependencies ?? [] }
    : row.check_type === 'API' && unpackHookFiles(row.dependencies)
  const settings = unsealDeep(vault, row.account_id, unpackCheck(row))
  return { ...settings, ...files, id: row.id } as OpenCheck
}

/** Whether a check consists of a script and the files that it imports. */
function hasFiles(type: CheckType): boolean {
  return type === 'BROWSER' || type === 'MULTI_STEP'
}

/** On-demand runs use all locations at once, however the check is scheduled. */
function parallelOf(
  lane: Lane,
  runParallel: boolean,
  locationCount: number,
  session: SessionOptions | undefined,
): number | null {
  const count = lane.checkSessionId === null ? (runParallel ? locationCount : 1) : (session?.expected ?? 1)
  return count > 1 ? count : null
}

/** Without the fields that only the server uses, some of which hold secrets. */
function agentSettings(check: OpenCheck): JobCheck {
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
    setupScriptPath: _setupPath,
    setupScriptDependencies: _setupFiles,
    tearDownScriptPath: _teardownPath,
    tearDownScriptDependencies: _teardownFiles,
    ...settings
  } = check
  return settings
}

function scriptsOf(
  check: OpenCheck,
  group: DraftGroup | undefined,
  snippets: readonly { id: number; name: string; script: string }[],
): Pick<Job, 'setup' | 'teardown'> {
  if (check.checkType !== 'API') return { setup: [], teardown: [] }
  const script = (
    id: number | null | undefined,
    local: string | null | undefined,
    path?: string | null | undefined,
    files?: Job['setup'][number]['files'] | null,
  ): Job['setup'] => {
    const snippet = snippets.find((candidate) => candidate.id === id)
    if (snippet !== undefined) return [{ name: snippet.name, script: snippet.script }]
    if ((local ?? '').trim() === '') return []
    const imported = path == null ? {} : { path, files: files ?? [] }
    return [{ name: 'script', script: local ?? '', ...imported }]
  }
  return {
    setup: [
      ...script(group?.setupSnippetId, group?.localSetupScript),
      ...script(
        check.setupSnippetId,
        check.localSetupScript,
        check.setupScriptPath,
        check.setupScriptDependencies,
      ),
    ],
    teardown: [
      ...script(
        check.tearDownSnippetId,
        check.localTearDownScript,
        check.tearDownScriptPath,
        check.tearDownScriptDependencies,
      ),
      ...script(group?.tearDownSnippetId, group?.localTearDownScript),
    ],
  }
}

/** Later layers win: account, group, check, session. */
function variablesOf(
  check: OpenCheck,
  group: DraftGroup | undefined,
  global: readonly JobVariable[],
  session: SessionOptions | undefined,
): JobVariable[] {
  const layers = [
    ...global,
    ...(group?.environmentVariables ?? []),
    ...(check.environmentVariables ?? []),
    ...(session?.environmentVariables ?? []),
  ]
  const byKey = new Map<string, JobVariable>()
  for (const variable of layers) byKey.set(variable.key, { ...variable, value: variable.value ?? '' })
  return [...byKey.values()]
}

/** Without scripts, a run uses a variable only if a template names it. */
function filterNamed(variables: readonly JobVariable[], templates: unknown[]): JobVariable[] {
  const words = new Set<string>()
  for (const [expression] of JSON.stringify(templates).matchAll(/\{\{.*?\}\}/g)) {
    for (const [word] of expression.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) words.add(word)
  }
  return variables.filter(({ key }) => words.has(key))
}

/** Values that users locked or declared secret. */
function secretsOf(check: OpenCheck, variables: readonly JobVariable[]): string[] {
  const hidden = variables.filter(({ secret, locked }) => secret || locked)
  const values = [...hidden.map(({ value }) => value), ...requestSecretsOf(check)]
  return [...new Set(values.filter((value) => value !== ''))]
}

/** A value with a template names secrets instead of containing them. */
function requestSecretsOf(check: OpenCheck): string[] {
  if (check.checkType !== 'API') return []
  const { headers, queryParameters, basicAuth } = check.request
  const locked = [...headers, ...queryParameters].filter((entry) => entry.locked)
  const values = [...locked.map(({ value }) => value), basicAuth?.password ?? '']
  return values.filter((value) => !value.includes('{{'))
}

/** The script that a run replays: the one for the current prompt. */
function agenticScriptFor(
  prompt: string | null,
  scripts: readonly OpenScript[] | undefined,
): Job['agenticScript'] {
  if (prompt === null || scripts === undefined) return null
  const promptHash = createHash('sha256').update(prompt).digest('hex')
  const matching = scripts.filter(({ prompt_hash }) => prompt_hash === promptHash)
  const current = matching.find(({ status }) => status === 'current')
  if (current === undefined) return null
  const isRepairProposed = matching.some(({ status }) => status === 'proposed')
  return { script: current.script, promptHash, isRepairProposed }
}
