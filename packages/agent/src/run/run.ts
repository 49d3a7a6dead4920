// One run of a network check with its setup and teardown scripts: what they receive, and which of their changes apply. Setup runs
// the group's scripts first, teardown the check's; the order comes with the run. Without scripts it doesn't use the sandbox.
import type { Failure, Job, Observation, Subject } from '@vedette/contracts'
import { renderTemplate } from '@vedette/safeguards/template'
import type { HttpDetail } from '../checks/http-run.ts'
import type { NetworkCheck, RunContext } from '../checks/runner.ts'
import { parseJson } from '../core/parse-json.ts'
import { failureOfAbort, isFailure } from '../net/failure.ts'
import { cutText, isJson, maxStoredBytes } from '../net/http-body.ts'
import type { Isolation } from '../sandbox/cell.ts'
import { isTooLarge, maxPassedBytes } from '../sandbox/child/passed-values.ts'
import { JobLog } from '../sandbox/job-log.ts'
import type { Pair, RequestView, ResponseView, ScriptImports, ScriptPhase } from '../sandbox/messages.ts'
import { cellLevel } from '../sandbox/open-cell.ts'
import { openSession, refusalOfScripts } from '../sandbox/sandbox.ts'
import type { ScriptOutcome } from '../sandbox/session.ts'
import {
  type CheckRun,
  failedObservation,
  internalFailure,
  judgeRun,
  observeRun,
  type RunOutcome,
  runMonitor,
} from './run-monitor.ts'

type ApiRun = CheckRun & { check: Extract<NetworkCheck, { checkType: 'API' }> }

export async function runCheck(run: CheckRun, context: RunContext): Promise<RunOutcome> {
  return hasScripts(run) ? runScripted(run, context) : runMonitor(run, context)
}

function hasScripts(run: CheckRun): run is ApiRun {
  return run.check.checkType === 'API' && (run.setup?.length ?? 0) + (run.teardown?.length ?? 0) > 0
}

async function runScripted(run: ApiRun, context: RunContext): Promise<RunOutcome> {
  const { clock } = context
  const begin = clock.monotonic()
  const startedAt = clock.now()
  const log = new JobLog()
  const scripts = openScripts(run, context, log)
  let observation: Observation
  try {
    const changed = await scripts.setup()
    observation = isFailure(changed)
      ? failedObservation(changed, context)
      : await scripts.teardown(await observeRun(changed.run, changed.context))
  } catch (error) {
    observation = failedObservation(internalFailure(error), context)
  } finally {
    scripts.close()
  }
  const durationMs = clock.monotonic() - begin
  const isolation = scripts.isolation()
  const detail = isolation === null ? observation.detail : { ...(observation.detail ?? {}), isolation }
  const measured = { ...observation, detail, startedAt, durationMs }
  return judgeRun({ ...run, secrets: [...scripts.secrets] }, measured, context, log)
}

type Session = NonNullable<Awaited<ReturnType<typeof openSession>>>

/** The scripts of one run, which share a session. */
function openScripts(run: ApiRun, context: RunContext, log: JobLog) {
  const facts = scriptFacts(run)
  /** Of the run, and the values that scripts replaced them with. */
  const secrets = new Set(run.secrets)
  const secretVariables = Object.entries(run.variables).filter(([, value]) => secrets.has(value))
  /** Null: no script was run. */
  let isolation: Pick<Isolation, 'level' | 'limits'> | null = null
  let phase: ScriptPhase = 'setup'
  let session: Session | null = null

  /** Returns the run with the changes of the scripts, or the failure. */
  async function setup(): Promise<{ run: ApiRun; context: RunContext } | Failure> {
    const refusal = await open()
    if (refusal) return refusal
    let view = requestView(run.check.request)
    let variables = { ...run.variables, ...facts }
    if (isTooLarge(view)) return tooLarge
    for (const { name, script, ...place } of run.setup ?? []) {
      const imports = importsOf(place)
      const input = { imports, request: view, response: null }
      const outcome = await runScript({ phase: 'setup', script, ...input })
      if (!outcome.ok) return failureOf(name, outcome)
      view = outcome.request
      variables = outcome.variables
    }
    return applyChanges(view, variables)
  }

  /** Returns the observation with a body that scripts may have changed. Their errors are logged and don't affect the outcome. */
  async function teardown(observation: Observation): Promise<Observation> {
    phase = 'teardown'
    let current = observation as Observation<HttpDetail | null>
    for (const { name, script, ...place } of run.teardown ?? []) {
      const imports = importsOf(place)
      const request = sentView(current.detail) ?? requestView(run.check.request)
      const response = responseView(current)
      const outcome = await runScript({ phase: 'teardown', script, imports, request, response })
      if (!outcome.ok) {
        const { now } = context.clock
        log.note('teardown', 'ERROR', `The teardown script "${name}" failed: ${outcome.message}`, now())
      } else if (outcome.body !== null) current = withBody(current, outcome.body)
    }
    return current
  }

  function close(): void {
    session?.close()
    session = null
  }

  async function open(): Promise<Failure | null> {
    const message = await refusalOfScripts(context.network, context.sandbox, context.limits)
    if (message !== null) return { kind: 'blocked', phase: 'setup', message, code: 'SANDBOX' }
    session = await openSession(
      {
        variables: { ...run.variables, ...facts },
        snippets: run.snippets ?? [],
        region: run.location ?? '',
        network: context.network,
        ...(context.lookup && { lookup: context.lookup }),
        signal: context.signal,
        onLog: (level, msg) => log.add(phase, level, msg, context.clock.now()),
      },
      context.sandbox,
    )
    if (session === null) return failureOfAbort(context.signal, 'setup')
    const { level, limits } = await cellLevel(context.sandbox)
    isolation = { level, limits }
    return null
  }

  async function runScript(script: Parameters<Session['run']>[0]): Promise<ScriptOutcome> {
    if (!session) throw new Error('the script session is closed')
    const outcome = await session.run(script)
    if (!outcome.ok) return outcome
    for (const [name] of secretVariables) {
      const value = Object.hasOwn(outcome.variables, name) ? outcome.variables[name] : undefined
      if (value !== undefined) secrets.add(value)
    }
    return outcome
  }

  function failureOf(
    name: string,
    { message, code, isOurs }: Extract<ScriptOutcome, { ok: false }>,
  ): Failure {
    if (code === 'CANCELLED') return failureOfAbort(context.signal, 'setup')
    const text = `The setup script "${name}" failed: ${message}`
    return { kind: isOurs ? 'internal' : 'script', phase: 'setup', message: text, code }
  }

  function applyChanges(
    view: RequestView,
    left: Record<string, string>,
  ): { run: ApiRun; context: RunContext } {
    const { check } = run
    const request = { ...check.request, ...settingsOf(view, check.request) }
    const isFact = (name: string) => facts[name] !== undefined && facts[name] === left[name]
    const own = Object.entries(left).filter(([name]) => !isFact(name))
    // Facts hide variables of the same name only in scripts.
    const hidden = Object.entries(run.variables).filter(([name]) => isFact(name))
    const changedBase = own.find(([name]) => name === 'GROUP_BASE_URL')?.[1]
    const groupBaseUrl = changedBase ?? run.groupBaseUrl ?? null
    // Certificates are for the URL in the settings, not for one that a script sets.
    const hasOtherUrl = view.url !== check.request.url
    return {
      run: {
        ...run,
        check: { ...check, request },
        variables: Object.fromEntries([...own, ...hidden]),
        groupBaseUrl,
      },
      context: hasOtherUrl ? { ...context, clientCertificates: [] } : context,
    }
  }

  return { setup, teardown, close, secrets, isolation: () => isolation }
}

/** Environment variables of scripts besides the variables of the check. */
function scriptFacts(run: ApiRun): Record<string, string> {
  const { check, variables, groupBaseUrl, location, runtimeId, environmentUrl } = run
  // Setup scripts may define the variables of a template, so one that can't be rendered yet is passed unchanged.
  const render = (template: string, known: Record<string, string> = {}) => {
    const text = renderTemplate(template, { variables: { ...variables, ...known } })
    return text.ok ? text.text : template
  }
  const base = render(groupBaseUrl ?? '')
  const facts: Record<string, string | null | undefined> = {
    CHECK_NAME: check.name,
    CHECK_TYPE: check.checkType,
    REQUEST_URL: render(check.request.url, { GROUP_BASE_URL: base }),
    GROUP_BASE_URL: base,
    REGION: location,
    RUNTIME_VERSION: runtimeId,
    ENVIRONMENT_URL: environmentUrl,
    ...(run.source === 'schedule' && {
      CHECK_RESULT_ID: run.resultId,
      CHECK_RUN_ID: run.scheduledAt?.toString(),
    }),
  }
  return Object.fromEntries(Object.entries(facts).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function importsOf({ path, files }: Omit<Job['setup'][number], 'name' | 'script'>): ScriptImports | null {
  return path === undefined ? null : { path, files: files ?? [] }
}

const tooLarge: Failure = {
  kind: 'script',
  phase: 'setup',
  message: `The request is larger than ${maxPassedBytes / 1024} kB, the limit for setup scripts.`,
  code: 'SCRIPT_SIZE',
}

// The request and response of an API check as scripts see them, and how their changes apply.
type ApiRequest = Extract<NetworkCheck, { checkType: 'API' }>['request']

const pairOf = ({ key, value }: { key: string; value: string }): Pair => [key, value]
const settingOf = ([key, value]: Pair) => ({ key, value, locked: false })

function requestView({ method, url, body, headers, queryParameters }: ApiRequest): RequestView {
  return {
    method,
    url,
    body,
    headers: headers.map(pairOf),
    queryParameters: queryParameters.map(pairOf),
  }
}

function settingsOf(view: RequestView, { bodyType }: ApiRequest): Partial<ApiRequest> {
  const { method, url, body } = view
  return {
    method: method as ApiRequest['method'],
    url,
    body,
    // A body that a script adds is sent unchanged.
    bodyType: bodyType === 'NONE' && body !== '' ? 'RAW' : bodyType,
    headers: view.headers.map(settingOf),
    queryParameters: view.queryParameters.map(settingOf),
  }
}

/** The request that was sent. */
function sentView(detail: HttpDetail | null): RequestView | null {
  if (!detail?.request) return null
  const { method, url, data, headers, params } = detail.request
  const view = { method, url, body: data, headers: pairsOf(headers), queryParameters: pairsOf(params) }
  return isTooLarge(view) ? { ...view, body: '' } : view
}

function pairsOf(values: Record<string, string | string[]>): Pair[] {
  return Object.entries(values).flatMap(([name, value]) => [value].flat().map((one): Pair => [name, one]))
}

function responseView({ detail, subjects }: Observation<HttpDetail | null>): ResponseView | null {
  const response = detail?.response
  if (!response) return null
  const { status, statusText, headers, timings, timingPhases } = response
  const text = subjects.TEXT_BODY?.kind === 'text' ? subjects.TEXT_BODY.value : response.body
  const body = cutText(text, maxPassedBytes)
  return { statusCode: status, statusText, body, headers, timings, timingPhases }
}

function withBody(observation: Observation<HttpDetail | null>, body: string): Observation<HttpDetail | null> {
  const { detail, subjects } = observation
  if (!detail?.response) return observation
  const { bodyEncoding: _dropped, ...response } = detail.response
  const stored = cutText(body, maxStoredBytes)
  const { JSON_BODY: _before, ...others } = subjects
  const json = isJson(String(response.headers['content-type'] ?? '')) ? parseJson(body) : undefined
  const asserted: Record<string, Subject> = {
    ...others,
    TEXT_BODY: { kind: 'text', value: body },
    ...(json !== undefined && { JSON_BODY: { kind: 'json', value: json } as const }),
  }
  return {
    ...observation,
    detail: { ...detail, response: { ...response, body: stored, truncated: stored.length < body.length } },
    // After a failure there is nothing to assert, whatever a script sets.
    subjects: observation.failure ? subjects : asserted,
  }
}
