// What differs from the last run that passed.
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import type { CheckResult } from '../../api/types.ts'
import { Failure } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { useComparison } from './use-comparison.ts'

type OneDifference =
  ResponseTo<'GET /v1/check-results/{checkId}/{checkResultId}/comparison'>['differences'][number]

const labels: Record<OneDifference['kind'], string> = {
  status: 'Status',
  address: 'Address',
  certificate: 'Certificate',
  redirects: 'Redirects',
  headers: 'Headers',
  body: 'Body',
  timing: 'Timing',
  test: 'Test',
}

export function WhatChanged({ result: { checkId, id } }: { result: CheckResult }) {
  const { data, error, refetch } = useComparison(checkId, id)
  if (error && data === undefined)
    return <Failure what="The comparison with the last passing run" error={error} onRetry={refetch} />
  if (data === undefined) return null
  const { passingResultId, passingAt, differences, deployments } = data
  return (
    <section aria-labelledby="changed">
      <h2 id="changed">What changed since it last passed</h2>
      {passingResultId === null || passingAt === null ? (
        <p className="muted-text">There is no passing run before this one to compare with.</p>
      ) : (
        <p className="muted-text">
          It last passed at{' '}
          <Link href={`/checks/${checkId}/results/${passingResultId}`}>
            <Moment at={passingAt} />
          </Link>
          .{differences.length === 0 && ' Nothing that was recorded differs.'}
        </p>
      )}
      {differences.length > 0 && (
        <dl className="differences">
          {differences.map((difference) => (
            <div key={difference.title}>
              <dt>{labels[difference.kind]}</dt>
              <dd>
                <Difference difference={difference} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {deployments.length > 0 && (
        <ul>
          {deployments.map((deployment) => (
            <li key={deployment.id}>
              Deployed at <Moment at={deployment.created_at} />
              {deployment.environmentName && `: ${deployment.environmentName}`}
              {deployment.sha && <code> {deployment.sha.slice(0, 12)}</code>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const signs = { added: '+', removed: '-', same: ' ' }
const elements = { added: 'ins', removed: 'del', same: 'span' } as const

function Difference({ difference: { title, before, after, diff } }: { difference: OneDifference }) {
  const hasBoth = [before, after].every((value) => value !== null && title.includes(value))
  if (diff === null)
    return (
      <>
        <p>{title}</p>
        {before !== null && after !== null && !hasBoth && (
          <p className="mono">
            <del>{before}</del> <span aria-hidden="true">→</span> <ins>{after}</ins>
          </p>
        )}
      </>
    )
  return (
    <>
      <p>{title}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
      <pre className="diff" tabIndex={0}>
        {diff.map(({ change, text }, index) => {
          const Line = elements[change]
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have a fixed order
            <Line key={index}>{`${signs[change]} ${text}\n`}</Line>
          )
        })}
      </pre>
    </>
  )
}
