// Tokens that let Prometheus read the metrics of the account, and how to use them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'
import { SecretOnce } from './secret-once.tsx'

const queryKey = ['prometheus-tokens']

export function Screen() {
  const { account, denialOf } = useSession()
  const denial = denialOf('ADMIN')
  const queries = useQueryClient()
  const [created, setCreated] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /v1/accounts/me/prometheus-tokens', {}, signal),
    enabled: denial === null,
  })
  const create = useMutation({
    mutationFn: () => call('POST /v1/accounts/me/prometheus-tokens'),
    onSuccess: ({ rawKey }) => {
      setCreated(rawKey)
      void queries.invalidateQueries({ queryKey })
    },
    onError: (problem) => showOutcome(`Couldn’t create a token: ${reasonOf(problem)}`),
  })
  const add = (
    <ActionButton look="primary" denial={denial} isPending={create.isPending} onPress={() => create.mutate()}>
      Create a token
    </ActionButton>
  )
  return (
    <ListScreen
      title="Prometheus"
      intro="States, run counts and response times of all checks, for Prometheus. A token gives access to the metrics and nothing else."
      what="The tokens"
      data={denial === null ? data : []}
      error={error}
      onRetry={refetch}
      keyOf={({ id }) => id}
      textOf={({ maskedKey }) => maskedKey}
      rowOf={({ id, maskedKey, created_at }) => ({
        name: (
          <>
            Token that ends with <code>{maskedKey.slice(-4)}</code>
          </>
        ),
        detail: (
          <>
            Created <RelativeTime at={created_at} />
          </>
        ),
        actions: (
          <DeleteAction
            verb="Revoke"
            what={`the token that ends with ${maskedKey.slice(-4)}`}
            outcome="Revoked the token."
            denial={denial}
            queryKey={queryKey}
            onDelete={() => call('DELETE /v1/accounts/me/prometheus-tokens/{id}', { params: { id } })}
          >
            <p>A Prometheus that uses it gets no more metrics.</p>
          </DeleteAction>
        ),
      })}
      empty={
        denial === null
          ? {
              title: 'No tokens yet',
              text: 'Create one, and add it to the configuration below.',
              action: add,
            }
          : { title: 'The tokens aren’t shown to you', text: denial, action: add }
      }
      actions={data !== undefined && data.length > 0 && add}
    >
      <CodeBlock title="prometheus.yml" text={configurationOf(account.id)} />
      {created !== null && (
        <SecretOnce title="A new Prometheus token" secret={created} onClose={() => setCreated(null)}>
          <p>Copy it now: it isn’t shown again.</p>
        </SecretOnce>
      )}
    </ListScreen>
  )
}

function configurationOf(accountId: string): string {
  return [
    'scrape_configs:',
    '  - job_name: vedette',
    `    scheme: ${location.protocol.replace(':', '')}`,
    `    metrics_path: ${basePath}/accounts/${accountId}/v2/prometheus/metrics`,
    '    authorization:',
    '      credentials_file: /etc/prometheus/vedette-token',
    '    static_configs:',
    `      - targets: ['${location.host}']`,
    '',
  ].join('\n')
}
