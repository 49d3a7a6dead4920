// Certificates that checks present to servers that ask for one.
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'
import { UsesList } from './uses.tsx'

const queryKey = ['client-certificates']

export function Screen() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/client-certificates', {}, signal),
  })
  const denial = denialOf('READ_WRITE')
  const add = (
    <ActionButton look="primary" denial={denial} onPress={() => navigate('/settings/certificates/new')}>
      Add a certificate
    </ActionButton>
  )
  return (
    <ListScreen
      title="Client certificates"
      intro="API checks present them to servers that ask for one. The private key is never shown again."
      what="The certificates"
      data={data}
      error={error}
      onRetry={refetch}
      keyOf={({ id }) => id}
      textOf={({ host }) => host}
      rowOf={({ id, host, ca, created_at }) => ({
        name: <span className="mono">{host}</span>,
        detail: (
          <>
            {ca === null ? 'Trusts the usual authorities' : 'Trusts authorities of its own'}, added{' '}
            <RelativeTime at={created_at} />
          </>
        ),
        actions: (
          <DeleteAction
            what={`the certificate for ${host}`}
            outcome={`Deleted the certificate for ${host}.`}
            denial={denial}
            queryKey={queryKey}
            onDelete={() => call('DELETE /v1/client-certificates/{id}', { params: { id } })}
          >
            <UsesList
              queryKey={['client-certificate-uses', id]}
              load={(signal) => call('GET /v1/client-certificates/{id}/uses', { params: { id } }, signal)}
              consequence="Servers that need it will refuse them."
            />
            <p>
              Hosts in variables and redirects aren’t counted: every request to <code>{host}</code> goes
              without it. The private key can’t be read again.
            </p>
          </DeleteAction>
        ),
      })}
      empty={{
        title: 'No client certificates yet',
        text: 'Add one if a server that you check accepts only clients with a certificate (mutual TLS).',
        action: add,
      }}
      actions={data !== undefined && data.length > 0 && add}
    />
  )
}
