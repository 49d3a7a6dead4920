// What the last runs found, for types whose charts don't say it: the certificate and its chain, hops, DNS records, durations of
// tests. Agents wrote it: whatever has another shape is left out.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import type { Check, CheckResult } from '../../api/types.ts'
import { formatDuration, formatNumberOf } from '../../core/format.ts'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'

type CheckType = Check['checkType']

const views: Partial<
  Record<CheckType, { count: number; View(props: { results: CheckResult[] }): ReactNode }>
> = {
  SSL: { count: 1, View: CertificateFacts },
  TRACEROUTE: { count: 1, View: HopTable },
  DNS: { count: 10, View: RecordChanges },
}

export function LatestFacts({ check }: { check: Check }) {
  const view = views[check.checkType]
  const { data } = useQuery({
    queryKey: ['latest-results', check.id, check.lastRunAt],
    queryFn: ({ signal }) => readLatest(check.id, view?.count ?? 0, signal),
    enabled: view !== undefined,
  })
  return view === undefined || data === undefined || data.length === 0 ? null : <view.View results={data} />
}

/** The newest first. */
async function readLatest(checkId: string, limit: number, signal: AbortSignal): Promise<CheckResult[]> {
  const { entries } = await call(
    'GET /v2/check-results/{checkId}',
    { params: { checkId }, query: { limit } },
    signal,
  )
  return Promise.all(
    entries.flatMap(({ id }) =>
      id === undefined
        ? []
        : [
            call(
              'GET /v1/check-results/{checkId}/{checkResultId}',
              { params: { checkId, checkResultId: id } },
              signal,
            ),
          ],
    ),
  )
}

type Values = Readonly<Record<string, unknown>>
const listOf = (value: unknown): Values[] => (Array.isArray(value) ? value.map(Object) : [])
const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '–'

function CertificateFacts({ results: [result] }: { results: CheckResult[] }) {
  const response: Values = Object(result?.sslCheckResult?.response)
  const certificate: Values = Object(response.certificate)
  const days = result?.sslCheckResult?.daysUntilExpiry ?? null
  if (days === null) return null
  const chain = listOf(response.chain)
  return (
    <section className="panel" aria-label="Certificate">
      <header className="section-head">
        <h2>
          {days < 0 ? 'The certificate has expired' : `${formatNumberOf(Math.floor(days), 'day')} left`}
        </h2>
        <span className="muted-text">
          {result?.sslCheckResult?.tlsVersion} {result?.sslCheckResult?.cipherSuite}
        </span>
      </header>
      <TableBox label="Chain of the certificate">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Subject</th>
              <th scope="col">Issuer</th>
              <th scope="col">Valid until</th>
              <th scope="col">Key</th>
            </tr>
          </thead>
          <tbody>
            {(chain.length > 0 ? chain : [certificate]).map((one, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the chain has a fixed order
              <tr key={index}>
                <td>{textOf(one.subjectCN)}</td>
                <td>{textOf(one.issuerCN)}</td>
                <td>{typeof one.notAfter === 'string' ? <Moment at={one.notAfter} /> : '–'}</td>
                <td>
                  {textOf(one.keyAlgorithm)} {textOf(one.keySizeBits)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}

function HopTable({ results: [result] }: { results: CheckResult[] }) {
  const hops = listOf(Object(result?.tracerouteCheckResult?.response).hops)
  if (hops.length === 0) return null
  return (
    <section aria-labelledby="hops">
      <h2 id="hops">Hops of the last run</h2>
      <TableBox label="Hops of the last run">
        <table className="table">
          <thead>
            <tr>
              <th scope="col" className="num">
                Hop
              </th>
              <th scope="col">Host</th>
              <th scope="col" className="num">
                Loss
              </th>
              <th scope="col" className="num">
                Average
              </th>
              <th scope="col" className="num">
                Worst
              </th>
            </tr>
          </thead>
          <tbody>
            {hops.map((hop) => {
              const { avg, worst } = Object(hop.rtt)
              return (
                <tr key={String(hop.hop_number)}>
                  <td className="num">{textOf(hop.hop_number)}</td>
                  <td>
                    {hop.main_ip === null
                      ? 'no reply'
                      : [hop.main_host, hop.main_ip].filter(Boolean).join(' ')}
                  </td>
                  <td className="num">
                    {typeof hop.loss_percentage === 'number' ? `${Math.round(hop.loss_percentage)} %` : '–'}
                  </td>
                  <td className="num">{typeof avg === 'number' ? formatDuration(avg) : '–'}</td>
                  <td className="num">{typeof worst === 'number' ? formatDuration(worst) : '–'}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}

function recordsOf(result: CheckResult): string[] | null {
  const answer = Object(Object(result.dnsCheckResult?.response).answer)
  const records = listOf(answer.Answer ?? answer.answers).flatMap(({ data }) =>
    data === undefined ? [] : [typeof data === 'string' ? data : JSON.stringify(data)],
  )
  return result.dnsCheckResult?.response == null ? null : records.sort()
}

/** A resolver may send the same records in another order. */
function RecordChanges({ results }: { results: CheckResult[] }) {
  const seen = results.flatMap((result) => {
    const records = recordsOf(result)
    return records === null
      ? []
      : [{ at: result.startedAt ?? result.created_at, text: records.join(', '), id: result.id }]
  })
  const [newest] = seen
  if (newest === undefined) return null
  const changes = seen.flatMap((one, index) => {
    const before = seen[index + 1]
    return before === undefined || before.text === one.text ? [] : [{ ...one, before: before.text }]
  })
  return (
    <section className="panel" aria-labelledby="records">
      <h2 id="records">Records</h2>
      <p className="mono">{newest.text === '' ? 'None' : newest.text}</p>
      {changes.length === 0 ? (
        <p className="muted-text">The same in the last {formatNumberOf(seen.length, 'run')}.</p>
      ) : (
        <ul className="differences">
          {changes.map(({ id, at, before, text }) => (
            <li key={id}>
              <Moment at={at} />: <del>{before || 'none'}</del> → <ins>{text || 'none'}</ins>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
