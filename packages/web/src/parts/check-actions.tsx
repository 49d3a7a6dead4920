// Run now, and what else can be done with a check in a list.
import { useLocation } from 'wouter'
import { useCheckChange, useRunNow } from '../api/check-actions.ts'
import { useSession } from '../api/session.tsx'
import type { OverviewCheck } from '../api/types.ts'
import { ActionButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { PickMenu } from './pick-menu.tsx'
import { reasonOf } from './states.tsx'

type ActedOn = Pick<OverviewCheck, 'id' | 'name' | 'muted' | 'activated' | 'checkType'>

export function CheckActions({ check }: { check: ActedOn }) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const run = useRunNow(check.id)
  const change = useCheckChange(check.id)
  const error = run.error ?? change.error
  const writeDenial = denialOf('READ_WRITE')
  const entries = [
    { id: 'open', label: 'Open', text: 'Open', onAction: () => navigate(`/checks/${check.id}`) },
    {
      ...{ id: 'mute', label: check.muted ? 'Unmute' : 'Mute', text: 'Mute', denial: writeDenial },
      onAction: () => change.mutate({ muted: !check.muted }),
    },
    {
      ...{ id: 'pause', label: check.activated ? 'Pause' : 'Resume', text: 'Pause', denial: writeDenial },
      onAction: () => change.mutate({ activated: !check.activated }),
    },
  ]
  return (
    <div className="check-actions">
      {check.checkType !== 'HEARTBEAT' && (
        <ActionButton
          onPress={() => run.mutate()}
          isPending={run.isPending}
          denial={denialOf('READ_RUN')}
          aria-label={`Run ${check.name} now`}
        >
          <Icon name="run" />
          {run.isPending ? 'Running…' : 'Run now'}
        </ActionButton>
      )}
      <PickMenu
        label={`More actions for ${check.name}`}
        look="button icon-only"
        button={<Icon name="more" />}
        entries={entries}
      />
      {error && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
    </div>
  )
}
