// Environment variables of scripts besides the variables of the check.
import type { Job } from '@vedette/contracts'
import { renderTemplate } from '@vedette/safeguards/template'
import type { NetworkCheck } from '../checks/runner.ts'

/** The parts of a run that scripts receive or may change. */
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
  /** All variables of the check, after precedence. */
  variables: Readonly<Record<string, string>>
  /** Values that must not leave this machine. */
  secrets: readonly string[]
  /** The id of this run's result, for scripts of scheduled runs. */
  resultId?: string
}

export function scriptFacts(run: ScriptedRun): Record<string, string> {
  const { check, variables, groupBaseUrl, location, runtimeId, environmentUrl } = run
  // Setup scripts may define the variables of a template, so one that can't be rendered yet is passed unchanged.
  const render = (template: string, known: Record<string, string> = {}) => {
    const text = renderTemplate(template, { variables: { ...variables, ...known } })
    return text.ok ? text.text : template
  }
  const base = render(groupBaseUrl ?? '')
  const url = 'url' in check.request && typeof check.request.url === 'string' ? check.request.url : ''
  const facts: Record<string, string | null | undefined> = {
    CHECK_NAME: check.name,
    CHECK_TYPE: check.checkType,
    REQUEST_URL: render(url, { GROUP_BASE_URL: base }),
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
