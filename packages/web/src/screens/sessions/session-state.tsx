// How far a session is, in words and with the icon of its outcome.
import type { SessionEntry } from '../../api/types.ts'
import type { StateName } from '../../core/states.ts'
import { Icon } from '../../parts/icon.tsx'
import { StateIcon, StateLabel } from '../../parts/state-icon.tsx'
import { type SessionState, stateLabels } from './filters.ts'

const iconStates: Record<Exclude<SessionState, 'running'>, StateName> = {
  passed: 'passing',
  degraded: 'degraded',
  failed: 'failing',
  cancelled: 'unknown',
}

export const sourceLabels: Record<NonNullable<SessionEntry['runSource']>, string> = {
  CLI_DEPLOY: 'a deploy of the CLI',
  DEPLOYMENT: 'a deployment',
  DEPLOYMENT_CACHE_WARMER: 'a deployment',
  EDITOR: 'the editor',
  GROUP_RUN_ALL: 'a run of the group',
  LEGACY_TRIGGER: 'a trigger URL',
  SCHEDULER: 'the schedule',
  SCHEDULE_NOW: '“Run now”',
  TEST_NO_RECORD: 'a test of the CLI',
  TEST_RECORD: 'a test of the CLI',
  TRIGGER_NO_RECORD: 'the CLI',
  TRIGGER_RECORD: 'the CLI',
  TRIGGER_API: 'the app or the API',
}

export function stateIconOf(state: SessionState) {
  return state === 'running' ? <Icon name="run" /> : <StateIcon state={iconStates[state]} />
}

type Progress = Pick<SessionEntry, 'state' | 'expected' | 'done' | 'failed'>

/** “Running: 2 of 5”, “Failed: 1 of 5”. */
export function SessionStateLabel({ session }: { session: Progress }) {
  const { state, expected, done, failed } = session
  if (state === 'running')
    return (
      <span className="state running">
        <Icon name="run" />
        Running{expected > 1 && `: ${done} of ${expected}`}
        {failed > 0 && <span className="failing">, {failed} failed</span>}
      </span>
    )
  const count = state === 'failed' && expected > 1 ? `: ${failed} of ${expected}` : ''
  return <StateLabel state={iconStates[state]} label={`${stateLabels[state]}${count}`} />
}
