// The script that an agentic check repeats, and repairs that wait for a decision.
import '../result/result.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { diffLines } from '../../core/line-diff.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

type Script = ResponseTo<'GET /v1/checks/agentic/{id}/scripts'>[number]

export function AgenticScripts({ checkId }: { checkId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['agentic-scripts', checkId],
    queryFn: ({ signal }) => call('GET /v1/checks/agentic/{id}/scripts', { params: { id: checkId } }, signal),
  })
  if (error && data === undefined) return <Failure what="The scripts" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const current = data.find(({ status }) => status === 'current')
  const proposed = data.filter(({ status }) => status === 'proposed')
  if (current === undefined && proposed.length === 0)
    return (
      <Empty title="No script yet">
        <p className="muted-text">
          The first run that passes writes one. Later runs repeat it without a model.
        </p>
      </Empty>
    )
  return (
    <div className="stack">
      {proposed.map((script) => (
        <Proposal key={script.id} checkId={checkId} script={script} current={current?.script ?? ''} />
      ))}
      {current && (
        <>
          {!current.isForCurrentPrompt && (
            <p className="degraded">
              The instructions have changed since: the next run writes another script.
            </p>
          )}
          <CodeBlock title="Script that runs repeat" text={current.script} />
        </>
      )}
    </div>
  )
}

const elements = { added: 'ins', removed: 'del', same: 'span' } as const
const signs = { added: '+', removed: '-', same: ' ' }

function Proposal({ checkId, script, current }: { checkId: string; script: Script; current: string }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const denial = denialOf('READ_WRITE')
  const params = { id: checkId, scriptId: script.id }
  const decision = useMutation({
    mutationFn: (isAccepted: boolean) =>
      isAccepted
        ? call('POST /v1/checks/agentic/{id}/scripts/{scriptId}/accept', { params })
        : call('POST /v1/checks/agentic/{id}/scripts/{scriptId}/reject', { params }),
    onSuccess: (_, isAccepted) =>
      showOutcome(isAccepted ? 'Runs repeat the new script from now on.' : 'The script stays as it was.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agentic-scripts', checkId] }),
  })
  return (
    <section className="panel stack" aria-label="Proposed script">
      <header className="section-head">
        <h2>Proposed script</h2>
        <span className="muted-text">
          <Moment at={script.created_at} />
        </span>
      </header>
      <p>
        A run failed, and the model repaired its script. Accept it only if the change of the site is intended.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
      <pre className="diff" tabIndex={0}>
        {diffLines(current, script.script).map(({ change, text }, index) => {
          const Line = elements[change]
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have a fixed order
          return <Line key={index}>{`${signs[change]} ${text}\n`}</Line>
        })}
      </pre>
      <div className="actions">
        <ActionButton
          look="primary"
          denial={denial}
          isPending={decision.isPending}
          onPress={() => decision.mutate(true)}
        >
          Accept
        </ActionButton>
        <ActionButton denial={denial} isPending={decision.isPending} onPress={() => decision.mutate(false)}>
          Reject
        </ActionButton>
        {decision.error && (
          <p className="field-error" role="alert">
            {reasonOf(decision.error)}
          </p>
        )}
      </div>
    </section>
  )
}
