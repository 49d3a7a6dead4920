// Runs of code: errors, steps, screenshots, videos, traces, log.
import { useQuery } from '@tanstack/react-query'
import { readScriptErrors } from '@vedette/contracts/script-errors'
import { fileUrl } from '../../api/base-path.ts'
import { call, type ResponseTo } from '../../api/call.ts'
import type { ShownResult } from '../../api/types.ts'
import { formatBytes } from '../../core/format.ts'
import { pairScreenshots } from '../../core/pair-screenshots.ts'
import { readLog, readPages } from '../../core/read-code-run.ts'
import { formatVital, rateVital, vitalNames, type WebVital, webVitals } from '../../core/web-vitals.ts'
import { Icon } from '../../parts/icon.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { Failure } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { LogLines } from './log-lines.tsx'
import { useComparison } from './use-comparison.ts'

interface CodeEvidenceProps {
  result: ShownResult
  /** Absent: the result belongs to a check. */
  testSessionId?: string | undefined
}

export function CodeEvidence({ result, testSessionId }: CodeEvidenceProps) {
  const evidence =
    result.browserCheckResult ??
    result.multiStepCheckResult ??
    result.playwrightCheckResult ??
    result.agenticCheckResult
  const errors = readScriptErrors(evidence?.errors)
  const pages = readPages(result.browserCheckResult?.pages)
  const steps = result.agenticCheckResult?.steps ?? []
  return (
    <>
      {errors.length > 0 && (
        <section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          {errors.map((text) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard
            <pre key={text} className="panel error-message" tabIndex={0}>
              {text}
            </pre>
          ))}
        </section>
      )}
      {result.agenticCheckResult?.summary && <p>{result.agenticCheckResult.summary}</p>}
      {steps.length > 0 && (
        <section aria-labelledby="steps">
          <h2 id="steps">Steps</h2>
          <ol className="panel log">
            {steps.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have a fixed order
              <li key={index}>
                {step.name ?? step.type} {step.output}
              </li>
            ))}
          </ol>
        </section>
      )}
      <Files result={result} testSessionId={testSessionId} />
      {pages.length > 0 && (
        <section aria-labelledby="pages">
          <h2 id="pages">Pages</h2>
          <TableBox label="Pages">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Address</th>
                  {vitalNames.map((name) => (
                    <th key={name} scope="col" className="num">
                      <abbr title={webVitals[name].label}>{name}</abbr>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {pages.map(({ url, vitals }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pages have a fixed order
                  <tr key={index}>
                    <td className="reason-cell">{url}</td>
                    {vitalNames.map((name) => (
                      <td key={name} className="num">
                        <Vital name={name} value={vitals[name]} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableBox>
        </section>
      )}
      <LogLines title="Log" lines={readLog(evidence?.jobLog)} />
    </>
  )
}

const ratingStates = { Good: null, 'Needs improvement': 'degraded', Poor: 'failing' } as const

function Vital({ name, value }: { name: WebVital; value: number | undefined }) {
  if (value === undefined) return '–'
  const rating = rateVital(name, value)
  const state = ratingStates[rating]
  const { good, poor } = webVitals[name]
  const limits = `good up to ${formatVital(name, good)}, poor above ${formatVital(name, poor)}`
  return (
    <span title={`${rating}: ${limits}`}>
      {state !== null && <StateIcon state={state} />} {formatVital(name, value)}
      <span className="unseen"> {rating}</span>
    </span>
  )
}

type Asset = ResponseTo<'GET /v1/check-results/{checkId}/{checkResultId}/assets'>['assets'][number]

interface ScreenshotsProps {
  result: ShownResult
  screenshots: readonly Asset[]
  isCompared: boolean
}

/** Each beside that of the last passing run, if there is one. */
function Screenshots({ result: { checkId, id }, screenshots, isCompared }: ScreenshotsProps) {
  const ofCheck = checkId ?? ''
  const comparison = useComparison(ofCheck, id, isCompared).data
  const passingId = comparison?.passingResultId ?? null
  const passing = useQuery({
    queryKey: ['assets', ofCheck, passingId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/check-results/{checkId}/{checkResultId}/assets',
        { params: { checkId: ofCheck, checkResultId: passingId ?? '' } },
        signal,
      ),
    enabled: passingId !== null,
    placeholderData: undefined,
    staleTime: 10 * 60_000,
  }).data
  const before = passing?.assets.filter(({ type }) => type === 'screenshot') ?? []
  return (
    <>
      {pairScreenshots(screenshots, before).map((pair) =>
        pair.before === null ? (
          <Screenshot key={pair.now.url} asset={pair.now} />
        ) : (
          <div key={pair.now.url} className="side-by-side">
            <Screenshot asset={pair.before} title="Last passing run" />
            <Screenshot asset={pair.now} title="This run" />
          </div>
        ),
      )}
      {passing !== undefined && before.length === 0 && (
        <p className="hint">
          The last passing run kept no screenshot. To compare them, let the check keep the evidence of all
          runs.
        </p>
      )}
    </>
  )
}

function Screenshot({ asset: { url, name }, title }: { asset: Asset; title?: string }) {
  const caption = title === undefined ? name : `${title}: ${name}`
  return (
    <figure>
      <a href={fileUrl(url)} target="_blank" rel="noreferrer">
        <img src={fileUrl(url)} alt={`Screenshot, ${caption}`} loading="lazy" />
      </a>
      <figcaption className="muted-text">{caption}</figcaption>
    </figure>
  )
}

function Files({ result, testSessionId }: CodeEvidenceProps) {
  const { checkId, id } = result
  const { data, error, refetch } = useQuery({
    queryKey: ['assets', checkId, id],
    queryFn: ({ signal }) =>
      testSessionId === undefined
        ? call(
            'GET /v1/check-results/{checkId}/{checkResultId}/assets',
            { params: { checkId: checkId ?? '', checkResultId: id } },
            signal,
          )
        : call(
            'GET /v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets',
            { params: { testSessionId, testSessionResultId: id } },
            signal,
          ),
    // The links are valid for fifteen minutes.
    staleTime: 10 * 60_000,
  })
  if (error && data === undefined) return <Failure what="The files" error={error} onRetry={refetch} />
  if (data === undefined || data.assets.length === 0) return null
  const ofType = (type: string) => data.assets.filter((asset) => asset.type === type)
  const [screenshots, videos, traces] = [ofType('screenshot'), ofType('video'), ofType('trace')]
  const others = data.assets.filter(({ type }) => !['screenshot', 'video', 'trace'].includes(type))
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <div className="files">
        <Screenshots
          {...{ result, screenshots }}
          isCompared={testSessionId === undefined && result.hasFailures === true && screenshots.length > 0}
        />
        {videos.map(({ url, name }) => (
          <figure key={url}>
            {/* biome-ignore lint/a11y/useMediaCaption: a recording of a screen without sound */}
            <video src={fileUrl(url)} controls preload="none" />
            <figcaption className="muted-text">{name}</figcaption>
          </figure>
        ))}
      </div>
      <ul className="file-list">
        {traces.map(({ url, name, viewerUrl }) => (
          <li key={url}>
            <a href={viewerUrl ?? fileUrl(url)} target="_blank" rel="noreferrer" className="button">
              <Icon name="external" />
              Open the trace {name}
            </a>
          </li>
        ))}
        {others.map(({ url, name, sizeBytes }) => (
          <li key={url}>
            <a href={fileUrl(url)} target="_blank" rel="noreferrer">
              {name}
            </a>
            {sizeBytes !== undefined && <span className="muted-text"> {formatBytes(sizeBytes)}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
