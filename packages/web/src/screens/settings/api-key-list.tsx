// Keys of programs: of the user, or of the account.
import type { UseQueryResult } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ResponseTo } from '../../api/call.ts'
import { roleNames } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DeleteAction } from './delete-action.tsx'
import { DialogForm } from './dialog-form.tsx'
import { type Row, SettingList } from './list-screen.tsx'
import { RoleSelect } from './role-select.tsx'
import { SecretOnce } from './secret-once.tsx'

export type ApiKey = ResponseTo<'GET /v1/users/me/api-keys'>[number]

interface ApiKeyListProps {
  query: Pick<UseQueryResult<ApiKey[]>, 'data' | 'error' | 'refetch'>
  queryKey: readonly unknown[]
  denial: string | null
  onDelete(id: string): Promise<unknown>
  emptyText: string
}

export function ApiKeyList({ query, queryKey, denial, onDelete, emptyText }: ApiKeyListProps) {
  const rowOf = (key: ApiKey): Row => ({
    name: (
      <>
        {key.name} {key.role && <span className="tag">{roleNames[key.role]}</span>}
      </>
    ),
    detail: (
      <>
        Ends with <code>{key.maskedKey.slice(-4)}</code>, created <RelativeTime at={key.created_at} />,{' '}
        {key.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <RelativeTime at={key.lastUsedAt} />
          </>
        )}
      </>
    ),
    actions: (
      <DeleteAction
        verb="Revoke"
        what={`the key ${key.name}`}
        outcome={`Revoked the key ${key.name}.`}
        denial={denial}
        queryKey={queryKey}
        onDelete={() => onDelete(key.id)}
      >
        <p>
          Programs that use it are refused at once.{' '}
          {key.lastUsedAt === null ? (
            'It was never used.'
          ) : (
            <>
              It was last used <RelativeTime at={key.lastUsedAt} />.
            </>
          )}
        </p>
      </DeleteAction>
    ),
  })
  return (
    <SettingList
      what="The keys"
      data={query.data}
      error={query.error}
      onRetry={query.refetch}
      keyOf={({ id }) => id}
      textOf={({ name, role }) => `${name} ${role === undefined ? '' : roleNames[role]}`}
      rowOf={rowOf}
      empty={{ title: 'No API keys', text: emptyText }}
    />
  )
}

interface CreateKeyProps {
  denial: string | null
  queryKey: readonly unknown[]
  hasRole: boolean
  create(values: FormData): Promise<ApiKey>
}

export function CreateKey({ denial, queryKey, hasRole, create }: CreateKeyProps) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<{ name: string; rawKey: string } | null>(null)
  return (
    <>
      <ActionButton look="primary" denial={denial} onPress={() => setOpen(true)}>
        Create a key
      </ActionButton>
      {isOpen && (
        <DialogForm
          title="Create an API key"
          action="Create"
          onClose={() => setOpen(false)}
          send={async (values) => {
            const { name, rawKey } = await create(values)
            setOpen(false)
            setCreated({ name, rawKey: rawKey ?? '' })
            void queries.invalidateQueries({ queryKey })
          }}
        >
          {(errorOf) => (
            <>
              <Field
                label="Name"
                name="name"
                description="What will use it: “Deploys”, “Laptop”."
                autoComplete="off"
                error={errorOf('name')}
                autoFocus
              />
              {hasRole && <RoleSelect />}
            </>
          )}
        </DialogForm>
      )}
      {created && (
        <SecretOnce
          title={`The key ${created.name}`}
          secret={created.rawKey}
          onClose={() => setCreated(null)}
        >
          <p>Copy it now: it isn’t shown again. It doesn’t expire; revoke it when it isn’t needed.</p>
        </SecretOnce>
      )}
    </>
  )
}
