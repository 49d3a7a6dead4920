// What scripts find in process.env besides the variables of their check.
import type { Job } from '@vedette/contracts'
import { renderTemplate } from '@vedette/safeguards/template'
import type { NetworkCheck } from '../checks/runner.ts'

/** Of a run, what scripts are told or may change; what only some runs have is as the job has it. */
export interface ScriptedRun
  extends Partial<
    Pick<
      Job,
      | 'groupBaseUrl'
      | 'environmentUrl'
      | 'setup'
      | 'teardown'
      | 'snippets'
      | 'location'
      | 'runtimeId'
      | 'scheduledAt'
      | 'source'
    >
  > {
  /** With the settings of its group merged in. */
  check: NetworkCheck
  /** Every variable that the check can reach, by precedence. */
  variables: Readonly<Record<string, string>>
  /** Values that must not leave this machine. */
  secrets: readonly string[]
  /** The id that this run's result will have: scripts of scheduled runs are told. */
  resultId?: string
}

export function scriptFacts(run: ScriptedRun): Record<string, string> {
  const { check, variables, groupBaseUrl, location, runtimeId, environmentUrl } = run
  // Names in templates may only be known after setup: what can't be rendered yet is shown as it stands.
  const rendered = (template: string, known: Record<string, string> = {}) => {
    const text = renderTemplate(template, { variables: { ...variables, ...known } })
    return text.ok ? text.text : template
  }
  const base = rendered(groupBaseUrl ?? '')
  const url = 'url' in check.request && typeof check.request.url === 'string' ? check.request.url : ''
  const facts: Record<string, string | null | undefined> = {
    CHECK_NAME: check.name,
    CHECK_TYPE: check.checkType,
    REQUEST_URL: rendered(url, { GROUP_BASE_URL: base }),
    GROUP_BASE_URL: base,
    REGION: location,
    RUNTIME_VERSION: runtimeId,
    ENVIRONMENT_URL: environmentUrl,
    ...(run.source === 'schedule' && {
      CHECK_RESULT_ID: run.resultId,
      CHECK_RUN_ID: run.scheduledAt?.toString(),
    }),
  }
  const given = Object.entries(facts).filter((fact): fact is [string, string] => {
    return fact[1] !== null && fact[1] !== undefined && fact[1] !== ''
  })
  return Object.fromEntries(given)
}
