// The keys of a private location: two, so that one can be replaced while agents run.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshLocations } from '../../api/private-locations.ts'
import { useSession } from '../../api/session.tsx'
import type { PrivateLocation } from '../../api/types.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import { withConfirmation } from '../../shell/confirmation.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

const maxKeys = 2

interface KeyListProps {
  location: PrivateLocation
  onIssued(key: string): void
}

export function KeyList({ location: { id, keys }, onIssued }: KeyListProps) {
  const { denialOf } = useSession()
  const refresh = useRefreshLocations()
  const denial = denialOf('ADMIN')
  const [revoked, setRevoked] = useState<string | null>(null)
  const issue = useMutation({
    mutationFn: () =>
      withConfirmation(() => call('POST /v1/private-locations/{id}/keys', { params: { id } })),
    onSuccess: async ({ rawKey }) => {
      onIssued(rawKey)
      await refresh()
      scrollTo({ top: 0 })
    },
  })
  const isFull = keys.length >= maxKeys
  return (
    <section aria-labelledby="keys">
      <header className="section-head">
        <h2 id="keys">Keys</h2>
        <ActionButton
          onPress={() => issue.mutate()}
          isPending={issue.isPending}
          denial={denial ?? (isFull ? `A location has at most ${maxKeys} keys: revoke one first.` : null)}
        >
          New key
        </ActionButton>
      </header>
      {issue.error && (
        <p className="field-error" role="alert">
          Couldn’t create a key: {reasonOf(issue.error)}
        </p>
      )}
      {keys.length === 0 ? (
        <p className="muted-text">None: no agent can connect. Create one.</p>
      ) : (
        <TableBox label="Keys">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td className="mono">{key.maskedKey}</td>
                  <td className="nowrap">
                    <Moment at={key.created_at} />
                  </td>
                  <td className="num">
                    <ActionButton look="quiet" denial={denial} onPress={() => setRevoked(key.id)}>
                      Revoke
                    </ActionButton>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
      <DeleteDialog
        what="the key"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onDelete={() =>
          withConfirmation(() =>
            call('DELETE /v1/private-locations/{id}/keys/{keyId}', { params: { id, keyId: revoked ?? '' } }),
          )
        }
        onDeleted={() => {
          setRevoked(null)
          showOutcome('The key is revoked.')
          void refresh()
        }}
      >
        <p>Agents that use it can no longer connect, and the results that they still have are refused.</p>
      </DeleteDialog>
    </section>
  )
}
