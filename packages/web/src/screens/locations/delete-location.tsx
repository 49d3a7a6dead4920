// Deletes a private location, after saying which checks run there: the server refuses while any does.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useRefreshLocations } from '../../api/private-locations.ts'
import { formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface DeleteLocationProps {
  id: string
  slug: string
  name: string
  denial: string | null
}

const listed = 10

export function DeleteLocation({ denial, ...location }: DeleteLocationProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton look="danger" denial={denial} onPress={() => setOpen(true)}>
        Delete
      </ActionButton>
      {isOpen && <Dialogs {...location} close={() => setOpen(false)} />}
    </>
  )
}

/** What uses it is read anew each time: it may have changed since the last time. */
function Dialogs({ id, slug, name, close }: Omit<DeleteLocationProps, 'denial'> & { close(): void }) {
  const [, navigate] = useLocation()
  const refresh = useRefreshLocations()
  const { data: checks } = useQuery({
    queryKey: ['overview-checks', 'users-of', slug],
    queryFn: ({ signal }) =>
      call('GET /v1/overview/checks', { query: { location: [slug], limit: listed } }, signal),
    gcTime: 0,
    placeholderData: undefined,
  })
  const isUsed = checks !== undefined && checks.total > 0
  return (
    <>
      {isUsed && (
        <Overlay title={`${name} is in use`} isOpen onClose={close}>
          <p>
            {formatNumberOf(checks.total, 'check')} {checks.total === 1 ? 'runs' : 'run'} here and would lose
            the location. Choose another one for {checks.total === 1 ? 'it' : 'them'} first:
          </p>
          <ul>
            {checks.entries.map((check) => (
              <li key={check.id}>
                <Link href={`/checks/${check.id}`} onClick={close}>
                  {check.name}
                </Link>
              </li>
            ))}
          </ul>
          <div className="actions">
            <Link
              href={`/checks?location=${encodeURIComponent(slug)}`}
              className="button primary"
              onClick={close}
            >
              Show these checks
            </Link>
            <ActionButton onPress={close}>Close</ActionButton>
          </div>
        </Overlay>
      )}
      <DeleteDialog
        what={`the private location “${name}”`}
        isOpen={checks !== undefined && !isUsed}
        onClose={close}
        onDelete={() => call('DELETE /v1/private-locations/{id}', { params: { id } })}
        onDeleted={() => {
          close()
          showOutcome(`Deleted ${name}.`)
          navigate('/locations')
          void refresh()
        }}
      >
        <p>No check runs here. Its agents can no longer connect; results that they made before stay.</p>
      </DeleteDialog>
    </>
  )
}
