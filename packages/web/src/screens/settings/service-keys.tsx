import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { withConfirmation } from '../../shell/confirmation.tsx'
import { ApiKeyList, CreateKey } from './api-key-list.tsx'
import { NeedsRole } from './needs-role.tsx'
import { grantableRoles } from './roles.ts'

const queryKey = ['service-api-keys']

export function Screen() {
  const { denialOf } = useSession()
  const denial = denialOf('ADMIN')
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/service-api-keys', {}, signal),
    enabled: denial === null,
  })
  return (
    <ScreenFrame
      title="Service API keys"
      actions={
        <CreateKey
          denial={denial}
          queryKey={queryKey}
          hasRole
          create={(values) => {
            const role = grantableRoles.find((one) => one === values.get('role')) ?? 'READ_ONLY'
            const body = { name: String(values.get('name')).trim(), role }
            return withConfirmation(() => call('POST /v1/service-api-keys', { body }))
          }}
        />
      }
    >
      <p className="muted-text">
        For programs. They belong to the account, have a role of their own, and stay when people leave. Your
        own keys are in your profile.
      </p>
      {denial !== null ? (
        <NeedsRole what="The keys" denial={denial} />
      ) : (
        <ApiKeyList
          query={query}
          queryKey={queryKey}
          denial={denial}
          onDelete={(id) => call('DELETE /v1/service-api-keys/{id}', { params: { id } })}
          emptyText="A key lets a program use the API with a role of its own: a deployment pipeline, or a script."
        />
      )}
    </ScreenFrame>
  )
}
