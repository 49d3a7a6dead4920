import { useCheckChange } from '../api/check-actions.ts'
import { useSession } from '../api/session.tsx'
import { isMuted, type MuteChoice, muteChoices, muteWords } from '../core/mute-times.ts'
import { ActionButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { PickMenu } from './pick-menu.tsx'
import { reasonOf } from './states.tsx'
import { useNow, useTimeOptions } from './time.tsx'

interface Mutable {
  name: string
  muted: boolean
  mutedUntil?: string | null
}

export const unmuted = { muted: false, mutedUntil: null }

export function muteChange({ until }: MuteChoice) {
  return until === null ? { muted: true, mutedUntil: null } : { mutedUntil: until }
}

export type MuteChange = Partial<Pick<Mutable, 'muted' | 'mutedUntil'>>

export function MuteButton({ check }: { check: Mutable & { id: string } }) {
  return <MuteControl item={check} change={useCheckChange(check.id)} />
}

interface MuteControlProps {
  item: Mutable
  change: { mutate(change: MuteChange): void; isPending: boolean; error: Error | null }
}

/** Silences alerts for an hour with one press, or for another time, or lets them through again. */
export function MuteControl({ item, change }: MuteControlProps) {
  const { denialOf } = useSession()
  const now = useNow()
  const options = useTimeOptions()
  const denial = denialOf('READ_WRITE')
  const [first, ...others] = muteChoices(now, options)
  const entries = others.map((choice) => ({
    ...{ id: choice.id, label: choice.label, text: choice.label, denial },
    onAction: () => change.mutate(muteChange(choice)),
  }))
  const isOff = isMuted(item, now)
  return (
    <>
      <div className={isOff ? 'muted-button' : 'split-button'}>
        {/* One button for both, so that it keeps the focus. */}
        <ActionButton
          onPress={() => change.mutate(isOff || first === undefined ? unmuted : muteChange(first))}
          isPending={change.isPending}
          denial={denial}
        >
          <Icon name={isOff ? 'bell' : 'muted'} />
          {isOff ? 'Unmute' : first?.label}
        </ActionButton>
        {!isOff && (
          <PickMenu
            label={`Mute ${item.name} for another time`}
            look="button icon-only"
            button={<Icon name="down" />}
            entries={entries}
          />
        )}
      </div>
      {isOff && (
        <span className="muted-text">
          {muteWords(item.muted ? null : (item.mutedUntil ?? null), now, options)}
        </span>
      )}
      {change.error && (
        <p className="field-error" role="alert">
          {reasonOf(change.error)}
        </p>
      )}
    </>
  )
}
