import { useCheckChange, useRunNow } from '../../api/check-actions.ts'
import { useSession } from '../../api/session.tsx'
import type { Check } from '../../api/types.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MuteButton } from '../../parts/mute-button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { useKeys } from '../../shell/keys.ts'

export function HeaderActions({ check }: { check: Check }) {
  const { denialOf } = useSession()
  const run = useRunNow(check.id)
  const change = useCheckChange(check.id)
  const canRun = check.checkType !== 'HEARTBEAT'
  const runDenial = denialOf('READ_RUN')
  const writeDenial = denialOf('READ_WRITE')
  useKeys({ r: () => canRun && runDenial === null && !run.isPending && run.mutate() })
  const error = run.error ?? change.error
  return (
    <>
      {canRun && (
        <ActionButton
          look="primary"
          onPress={() => run.mutate()}
          isPending={run.isPending}
          denial={runDenial}
          aria-keyshortcuts="r"
        >
          <Icon name="run" />
          {run.isPending ? 'Running…' : 'Run now'}
        </ActionButton>
      )}
      <MuteButton check={check} />
      <ActionButton
        onPress={() => change.mutate({ activated: !check.activated })}
        isPending={change.isPending}
        denial={writeDenial}
      >
        <Icon name={check.activated ? 'pause' : 'run'} />
        {check.activated ? 'Pause' : 'Resume'}
      </ActionButton>
      {error && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
    </>
  )
}
