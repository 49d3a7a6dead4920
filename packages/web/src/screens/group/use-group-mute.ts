import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { isMuted } from '../../core/mute-times.ts'
import { type MuteChange, unmuted } from '../../parts/mute-button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

export interface MutableGroup {
  id: number
  name: string
  muted: boolean
  mutedUntil: string | null
}

/** Mutes all checks of the group; can be undone. */
export function useGroupMute(group: MutableGroup) {
  const queries = useQueryClient()
  const { id, name, muted, mutedUntil } = group
  const send = async (body: MuteChange) => {
    await call('PUT /v2/check-groups/{id}', { params: { id }, body })
    void queries.invalidateQueries()
  }
  return useMutation({
    mutationFn: async (change: MuteChange) => {
      await send(change)
      const isOff = change.muted === true || typeof change.mutedUntil === 'string'
      const before = isMuted(group, Date.now()) ? { muted, mutedUntil } : unmuted
      showOutcome(`The checks of “${name}” are ${isOff ? 'muted' : 'no longer muted'}.`, () => {
        send(before).then(
          () => showOutcome('Undone.'),
          (error) => showOutcome(`Couldn’t undo it: ${reasonOf(error)}`),
        )
      })
    },
  })
}
