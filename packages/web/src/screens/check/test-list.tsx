// The tests of a check that runs code: which fail, which are flaky, and how long each takes, with its steps.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import type { OverviewCheck } from '../../api/types.ts'
import { formatCount, formatDuration, formatNumberOf } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { RunTicks } from '../../parts/run-ticks.tsx'
import { Failure } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

type Tests = ResponseTo<'GET /v1/checks/{id}/tests'>
type Test = Tests['tests'][number]

const typesWithTests: readonly OverviewCheck['checkType'][] = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT']
const shownAtFirst = 20

export function TestList({ check, range }: TabProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['tests', check.id, range.from, range.to],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/checks/{id}/tests',
        { params: { id: check.id }, query: { from: range.from, to: range.to } },
        signal,
      ),
    enabled: typesWithTests.includes(check.checkType),
  })
  const [hasAll, setAll] = useState(false)
  if (error && data === undefined) return <Failure what="The tests" error={error} onRetry={refetch} />
  if (data === undefined || data.tests.length === 0) return null
  const slowest = Math.max(1, ...data.tests.map(({ durationP95 }) => durationP95 ?? 0))
  const shown = hasAll ? data.tests : data.tests.slice(0, shownAtFirst)
  return (
    <section aria-labelledby="tests">
      <header className="section-head">
        <h2 id="tests">Tests</h2>
        <span className="muted-text">
          <Summary data={data} />
        </span>
      </header>
      <ul className="test-list panel">
        {shown.map((test) => (
          <TestLine key={`${test.file} ${test.title}`} test={test} slowest={slowest} />
        ))}
      </ul>
      {shown.length < data.tests.length && (
        <ActionButton onPress={() => setAll(true)}>
          Show all {formatNumberOf(data.tests.length, 'test')}
        </ActionButton>
      )}
      {hasAll && data.total > data.tests.length && (
        <p className="muted-text">And {formatCount(data.total - data.tests.length)} more.</p>
      )}
    </section>
  )
}

function Summary({ data: { runs, hasMore, since, tests } }: { data: Tests }) {
  const count = (pick: (test: Test) => boolean) => tests.filter(pick).length
  const [failed, flaky] = [count((test) => test.failed > 0), count((test) => test.flaky > 0)]
  const facts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
    `${hasMore ? 'the last ' : ''}${formatNumberOf(runs, 'run')}`,
  ]
  return (
    <>
      {facts.join(' · ')}
      {hasMore && since !== null && (
        <>
          , since <Moment at={since} />
        </>
      )}
    </>
  )
}

const tickStates = { passed: 'passing', failed: 'failing', flaky: 'degraded' } as const

function TestLine({ test, slowest }: { test: Test; slowest: number }) {
  const ticks = test.lastRuns.flatMap(({ outcome, duration }) =>
    outcome === 'skipped' ? [] : [{ state: tickStates[outcome], duration: duration ?? 0 }],
  )
  return (
    <li>
      <div className="test-line">
        <span className="test-title">
          {test.title} {test.file !== null && <span className="muted-text">{test.file}</span>}
        </span>
        <span className="test-outcomes">
          {test.failed > 0 && <span className="failing">{shareOf(test.failed, test)} failed</span>}
          {test.flaky > 0 && <span className="degraded">{shareOf(test.flaky, test)} flaky</span>}
          {test.skipped === test.runs && <span className="muted-text">Skipped</span>}
        </span>
        <RunTicks runs={ticks} degraded="flaky" />
        <Durations {...test} slowest={slowest} />
      </div>
      {test.steps.length > 0 && (
        <details>
          <summary>{formatNumberOf(test.steps.length, 'step')}</summary>
          <ol className="step-list">
            {test.steps.map((step) => (
              <li key={step.title} className="test-line">
                <span className="test-title">{step.title}</span>
                <span className="test-outcomes">
                  {step.failed > 0 && <span className="failing">{shareOf(step.failed, step)} failed</span>}
                </span>
                <Durations {...step} slowest={slowest} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  )
}

const shareOf = (count: number, { runs }: { runs: number }) => `${formatCount(count)} of ${formatCount(runs)}`

/** The bar ends at p95; its darker part at p50. */
function Durations({
  durationP50,
  durationP95,
  slowest,
}: Pick<Test, 'durationP50' | 'durationP95'> & { slowest: number }) {
  if (durationP50 === null || durationP95 === null) return null
  const percent = (value: number) => `${Math.max(1, (value / slowest) * 100)}%`
  return (
    <>
      <span className="test-figures">
        {formatDuration(durationP50)} <span className="muted-text">p95 {formatDuration(durationP95)}</span>
      </span>
      <svg className="duration-bar" aria-hidden="true" width="100%" height="8">
        <rect className="p95" width={percent(durationP95)} height="8" rx="2" />
        <rect className="p50" width={percent(durationP50)} height="8" rx="2" />
      </svg>
    </>
  )
}
