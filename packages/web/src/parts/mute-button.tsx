import { useCheckChange } from '../api/check-actions.ts'
import { useSession } from '../api/session.tsx'
import { ActionButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { reasonOf } from './states.tsx'

/** Silences the alerts of a check, or lets them through again. */
export function MuteButton({ check }: { check: { id: string; muted: boolean } }) {
  const { denialOf } = useSession()
  const change = useCheckChange(check.id)
  return (
    <>
      <ActionButton
        onPress={() => change.mutate({ muted: !check.muted })}
        isPending={change.isPending}
        denial={denialOf('READ_WRITE')}
      >
        <Icon name={check.muted ? 'bell' : 'muted'} />
        {check.muted ? 'Unmute' : 'Mute'}
      </ActionButton>
      {change.error && (
        <p className="field-error" role="alert">
          {reasonOf(change.error)}
        </p>
      )}
    </>
  )
}
