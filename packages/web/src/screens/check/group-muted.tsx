// A muted group silences its checks, whatever they set themselves.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { isMuted, muteWords } from '../../core/mute-times.ts'
import { ActionButton } from '../../parts/button.tsx'
import { unmuted } from '../../parts/mute-button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { useNow, useTimeOptions } from '../../parts/time.tsx'
import { type MutableGroup, useGroupMute } from '../group/use-group-mute.ts'

export function GroupMuted({ groupId }: { groupId: number }) {
  const now = useNow()
  const { data: group } = useQuery({
    queryKey: ['group-mute', groupId],
    queryFn: ({ signal }) => call('GET /v1/check-groups/{id}', { params: { id: groupId } }, signal),
  })
  return group === undefined || !isMuted(group, now) ? null : <Notice group={group} />
}

function Notice({ group }: { group: MutableGroup }) {
  const { denialOf } = useSession()
  const mute = useGroupMute(group)
  const words = muteWords(group.muted ? null : group.mutedUntil, useNow(), useTimeOptions())
  return (
    <div className="check-state">
      <p>
        {words} with its group <Link href={`/groups/${group.id}`}>{group.name}</Link>: no alerts are sent,
        even if this check isn’t muted.
      </p>
      <ActionButton
        onPress={() => mute.mutate(unmuted)}
        isPending={mute.isPending}
        denial={denialOf('READ_WRITE')}
      >
        Unmute the group
      </ActionButton>
      {mute.error && (
        <p className="field-error" role="alert">
          {reasonOf(mute.error)}
        </p>
      )}
    </div>
  )
}
