// The run of a draft: progress, the log while it runs, and its result.
import '../result/result.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { CallError, call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import type { ShownResult } from '../../api/types.ts'
import type { Observed, ObservedValue, SuggestedAssertion } from '../../core/suggest-assertions.ts'
import { observe } from '../../core/suggest-assertions.ts'
import type { TestRun } from '../../core/test-progress.ts'
import { useTestProgress } from '../../live/test-progress.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { RunEvidence } from '../result/evidence.tsx'
import { LogLines } from '../result/log-lines.tsx'
import { Verdict } from '../result/verdict-of.tsx'
import type { DraftRun } from './use-draft-run.ts'

interface RunPanelProps {
  run: DraftRun
  /** What the response has, for the assertion editor. */
  onObserved(observed: Observed | null): void
  /** Null: the type has no assertions. */
  onAssertion: ((assertion: SuggestedAssertion) => void) | null
}

export function RunPanel({ run, ...handlers }: RunPanelProps) {
  const { started, error } = run
  if (error !== null) return <RefusedRun error={error} />
  if (started === undefined) return <p role="status">The run is being started…</p>
  return <RunOf key={started.testSessionId} started={started} run={run} {...handlers} />
}

/** The server names the fields of the draft that it refuses. */
function RefusedRun({ error }: { error: Error }) {
  const fields = error instanceof CallError && error.status === 400 ? Object.entries(error.attributes) : []
  return (
    <div className="failure" role="alert">
      <p>It couldn’t be run{fields.length === 0 ? `: ${reasonOf(error)}` : ':'}</p>
      {fields.length > 0 && (
        <ul className="problem-list">
          {fields.map(([path, message]) => (
            <li key={path}>
              <code>{path.replace(/^drafts\.0\.check\./, '')}</code> {String(message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface RunOfProps extends RunPanelProps {
  started: NonNullable<DraftRun['started']>
}

function RunOf({ started, run, onObserved, onAssertion }: RunOfProps) {
  const nameOf = useLocationNames()
  const { testSessionId, runs } = started
  const [isOver, setOver] = useState(false)
  const [chosen, setChosen] = useState(runs[0]?.sequenceId ?? '')
  const progress = useTestProgress(testSessionId, isOver, () => setOver(true))
  const shown = runs.find(({ sequenceId }) => sequenceId === chosen) ?? runs[0]
  if (shown === undefined) return <p>There is nothing to run.</p>
  const state = progress.runs.get(shown.sequenceId)
  const lines = progress.logs.get(shown.sequenceId)?.lines ?? []
  const isEnded = isOver || state?.state === 'ended'
  return (
    <div className="stack">
      {runs.length > 1 && (
        <fieldset className="run-locations">
          <legend className="unseen">Location</legend>
          {runs.map(({ sequenceId, runLocation }) => (
            <button
              key={sequenceId}
              type="button"
              className="chip"
              aria-pressed={sequenceId === shown.sequenceId}
              onClick={() => setChosen(sequenceId)}
            >
              {nameOf(runLocation)}
            </button>
          ))}
        </fieldset>
      )}
      {isEnded ? (
        <EndedRun
          key={shown.testSessionResultId}
          testSessionId={testSessionId}
          resultId={state?.testSessionResultId ?? shown.testSessionResultId}
          onObserved={onObserved}
          onAssertion={onAssertion}
        />
      ) : (
        <>
          <p role="status">{progressInWords(state, nameOf(shown.runLocation))}</p>
          <LogLines title="Log" lines={lines} />
          <ActionButton onPress={run.cancel}>Cancel the run</ActionButton>
        </>
      )}
    </div>
  )
}

function progressInWords(run: TestRun | undefined, location: string): string {
  if (run === undefined || run.state === 'waiting') return `Waiting for an agent in ${location}…`
  const agent = run.agentName === null ? '' : ` by ${run.agentName}`
  if (run.state === 'retrying') return `Attempt ${run.attempt} follows in ${location}…`
  return run.attempt > 1
    ? `Attempt ${run.attempt} runs in ${location}${agent}…`
    : `Runs in ${location}${agent}…`
}

interface EndedRunProps extends Pick<RunPanelProps, 'onObserved' | 'onAssertion'> {
  testSessionId: string
  resultId: string
}

function EndedRun({ testSessionId, resultId, onObserved, onAssertion }: EndedRunProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['test-result', testSessionId, resultId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/test-sessions/{testSessionId}/results/{testSessionResultId}',
        { params: { testSessionId, testSessionResultId: resultId } },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (data !== undefined) onObserved(observe(data))
  }, [data, onObserved])
  if (error && data === undefined) return <Failure what="The result" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  if (data.scheduleError !== null)
    return (
      <p className="failure" role="alert">
        It didn’t run: {data.scheduleError}
      </p>
    )
  return (
    <>
      <Verdict result={data} />
      {onAssertion !== null && <ResponseValues result={data} onAssertion={onAssertion} />}
      <RunEvidence result={data} testSessionId={testSessionId} />
    </>
  )
}

interface ResponseValuesProps {
  result: ShownResult
  onAssertion(assertion: SuggestedAssertion): void
}

/** Every value of the response: a click makes an assertion of it. */
function ResponseValues({ result, onAssertion }: ResponseValuesProps) {
  const { groups } = observe(result)
  return groups
    .filter(({ values }) => values.length > 0)
    .map(({ title, values }) => (
      <details key={title} className="response-values" open={title !== 'Headers'}>
        <summary>
          {title}: click a value to assert it ({values.length})
        </summary>
        <ul>
          {values.map((value) => (
            <ValueLine key={value.name} value={value} onAssertion={onAssertion} />
          ))}
        </ul>
      </details>
    ))
}

function ValueLine({
  value,
  onAssertion,
}: {
  value: ObservedValue
  onAssertion: ResponseValuesProps['onAssertion']
}) {
  return (
    <li>
      <button
        type="button"
        className="value-line"
        title={`Assert ${value.name}`}
        onClick={() => onAssertion(value.assertion)}
      >
        <code>{value.name}</code>
        <span className="cut">{value.shown}</span>
      </button>
    </li>
  )
}
