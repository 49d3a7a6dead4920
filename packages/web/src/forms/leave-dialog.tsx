import { useStore } from '../core/store.ts'
import { ActionButton } from '../parts/button.tsx'
import { Overlay } from '../parts/dialog.tsx'
import { discardAll, wantedLeave } from './leave-guard.ts'

/** Asks before changes are lost. */
export function LeaveDialog() {
  const go = useStore(wantedLeave)
  const close = () => wantedLeave.set(null)
  return (
    <Overlay title="Leave without saving?" isOpen={go !== null} onClose={close}>
      <p>Your changes aren’t saved.</p>
      <div className="actions">
        <ActionButton look="primary" onPress={close}>
          Keep editing
        </ActionButton>
        <ActionButton
          onPress={() => {
            discardAll()
            close()
            go?.()
          }}
        >
          Discard and leave
        </ActionButton>
      </div>
    </Overlay>
  )
}
