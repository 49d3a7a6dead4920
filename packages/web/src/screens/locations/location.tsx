// One location: who runs checks there, how punctually, what waits, and how to start another agent.
import './locations.css'
import { useQuery } from '@tanstack/react-query'
import { locationAsCurl } from '@vedette/as-code/location-code'
import { resourceAsTerraform } from '@vedette/as-code/resource-as-terraform'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call, type ResponseTo } from '../../api/call.ts'
import { issuedKeys, rememberKey, usePrivateLocation } from '../../api/private-locations.ts'
import { useSession } from '../../api/session.tsx'
import { formatCount, formatDuration, formatNumberOf, formatSpan } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import { useStore } from '../../core/store.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateIcon, StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment, RelativeTime, Since } from '../../parts/time.tsx'
import { AgentGuide } from './agent-guide.tsx'
import { AgentTable } from './agent-table.tsx'
import { DeleteLocation } from './delete-location.tsx'
import { KeyList } from './key-list.tsx'
import { connectedAgents, stateOfLocation } from './location-words.ts'
import { useLocationStatus } from './use-location-status.ts'

type Status = ResponseTo<'GET /v1/location-statuses/{location}'>

const renewMs = 2_000

export function Screen({ slug }: { slug: string }) {
  const { data, error, refetch } = useLocationStatus(slug, renewMs)
  if (data !== undefined) return <Loaded status={data} />
  if (isNotFound(error)) return <NotFound what="This location" />
  return (
    <ScreenFrame title="Location">
      {error ? <Failure what="The location" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function Loaded({ status }: { status: Status }) {
  const { privateLocationId } = status
  const { state, sentence } = stateOfLocation(status)
  const issued = useStore(issuedKeys).get(privateLocationId ?? '') ?? null
  return (
    <ScreenFrame
      title={status.name}
      trail={<Link href="/locations">Locations</Link>}
      actions={privateLocationId && <PrivateActions status={status} id={privateLocationId} />}
    >
      <p className="muted-text">
        {privateLocationId ? 'Private location' : 'Data-center location'}{' '}
        <span className="mono">{status.location}</span>
      </p>
      {issued !== null && privateLocationId ? (
        <FirstAgent status={status} apiKey={issued} id={privateLocationId} />
      ) : (
        <p className="state-sentence" role="status">
          <StateIcon state={state} /> {sentence}
        </p>
      )}
      <Figures status={status} />
      <section aria-labelledby="agents">
        <h2 id="agents">Agents</h2>
        {status.agents.length > 0 ? (
          <AgentTable agents={status.agents} />
        ) : (
          <p className="muted-text">None was seen in the last 24 hours.</p>
        )}
      </section>
      <Checks location={status.location} total={status.checkCount} />
      {status.waitingRuns.length > 0 && <WaitingRuns status={status} />}
      <Hours hours={status.hours} />
      {status.alarms.length > 0 && <Alarms alarms={status.alarms} />}
      {issued === null && (
        <section aria-labelledby="start">
          <h2 id="start">Start an agent</h2>
          <AgentGuide apiKey={null} region={privateLocationId === null ? status.location : null} />
        </section>
      )}
      {privateLocationId && <PrivateSettings id={privateLocationId} />}
    </ScreenFrame>
  )
}

/** After the location or a key was created: the only time that the key can be shown. */
function FirstAgent({ status, apiKey, id }: { status: Status; apiKey: string; id: string }) {
  const connected = connectedAgents(status)
  const forget = () => {
    const rest = new Map(issuedKeys.get())
    rest.delete(id)
    issuedKeys.set(rest)
  }
  return (
    <section className="panel key-once" aria-labelledby="first-agent">
      <h2 id="first-agent">Start an agent in this network</h2>
      <p>
        This key is shown only now: <code className="mono">{apiKey}</code>{' '}
        <CopyButton text={apiKey} label="Copy the key" />
      </p>
      <AgentGuide apiKey={apiKey} region={null} />
      <p role="status" className="state">
        {connected.length === 0 ? (
          <>
            <StateIcon state="unknown" /> Waiting for the first agent…
          </>
        ) : (
          <>
            <StateIcon state="passing" /> Connected:{' '}
            {connected.map(({ name, id: agent }) => name ?? agent).join(', ')}.
          </>
        )}
      </p>
      <div className="actions">
        {connected.length > 0 && (
          <Link
            href={`/checks/new?location=${encodeURIComponent(status.location)}`}
            className="button primary"
          >
            Create a check that runs here
          </Link>
        )}
        <ActionButton onPress={forget}>I have saved the key</ActionButton>
      </div>
    </section>
  )
}

function PrivateActions({ status, id }: { status: Status; id: string }) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const denial = denialOf('ADMIN')
  return (
    <>
      <ActionButton denial={denial} onPress={() => navigate(`/locations/${status.location}/edit`)}>
        Edit
      </ActionButton>
      <DeleteLocation id={id} slug={status.location} name={status.name} denial={denial} />
    </>
  )
}

function Figures({ status: { lag, waiting, checkCount, hours } }: { status: Status }) {
  const sum = (pick: (hour: Status['hours'][number]) => number) =>
    hours.reduce((total, hour) => total + pick(hour), 0)
  const missed = sum((hour) => hour.missed)
  const facts: [string, string][] = [
    ['Checks', formatCount(checkCount)],
    ['Start lag, p50', lag === null ? '–' : formatDuration(lag.p50)],
    ['Start lag, p95', lag === null ? '–' : formatDuration(lag.p95)],
    ['Waiting now', waiting.runs === 0 ? 'Nothing' : formatNumberOf(waiting.runs, 'run')],
    ...(waiting.runs === 0
      ? []
      : [['Longest wait', formatDuration(waiting.oldestMs)] satisfies [string, string]]),
    ['Runs in 24 hours', formatCount(sum((hour) => hour.executed))],
    ['Missed', formatCount(missed)],
  ]
  return (
    <dl className="location-facts panel">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const shownChecks = 20

function Checks({ location, total }: { location: string; total: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['overview-checks', 'location', location],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/overview/checks',
        { query: { location: [location], sort: 'state', limit: shownChecks } },
        signal,
      ),
    placeholderData: undefined,
    refetchInterval: 10_000,
  })
  const href = `/checks?location=${encodeURIComponent(location)}`
  return (
    <section aria-labelledby="checks">
      <header className="section-head">
        <h2 id="checks">Checks</h2>
        {data && data.total > shownChecks && (
          <Link href={href}>All {formatNumberOf(data.total, 'check')}</Link>
        )}
      </header>
      {error && data === undefined && <Failure what="The checks" error={error} onRetry={refetch} />}
      {data?.total === 0 && <p className="muted-text">No check runs here yet.</p>}
      {data === undefined && !error && total > 0 && <FirstLoad rows={2} />}
      {data && data.entries.length > 0 && (
        <TableBox label="Checks">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Check</th>
                <th scope="col">Last run</th>
              </tr>
            </thead>
            <tbody>
              {data.entries.map((check) => (
                <tr key={check.id}>
                  <td className="nowrap">
                    <StateLabel state={check.state} />
                  </td>
                  <td>
                    <Link href={`/checks/${check.id}`}>{check.name}</Link>{' '}
                    <span className="muted-text">{typeLabels[check.checkType]}</span>
                  </td>
                  <td className="nowrap">{check.lastRunAt ? <RelativeTime at={check.lastRunAt} /> : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </section>
  )
}

function WaitingRuns({ status: { waitingRuns, waiting } }: { status: Status }) {
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">What waits</h2>
      <ul className="panels">
        {waitingRuns.map((run) => (
          <li key={`${run.checkId} ${run.dueAt}`}>
            {run.checkId === null ? run.name : <Link href={`/checks/${run.checkId}`}>{run.name}</Link>}{' '}
            <span className="muted-text">
              <Since at={run.dueAt} />
            </span>
          </li>
        ))}
      </ul>
      {waiting.runs > waitingRuns.length && (
        <p className="muted-text">And {formatCount(waiting.runs - waitingRuns.length)} more.</p>
      )}
    </section>
  )
}

function Hours({ hours }: { hours: Status['hours'] }) {
  if (hours.length === 0) return null
  return (
    <details>
      <summary>Runs by hour</summary>
      <TableBox label="Runs by hour">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Hour</th>
              {['Made', 'Skipped', 'Missed'].map((name) => (
                <th key={name} scope="col" className="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hours.toReversed().map(({ hour, executed, skipped, missed }) => (
              <tr key={hour}>
                <td className="nowrap">
                  <Moment at={hour} />
                </td>
                <td className="num">{formatCount(executed)}</td>
                <td className="num">{formatCount(skipped)}</td>
                <td className={missed > 0 ? 'num failing' : 'num'}>{formatCount(missed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </details>
  )
}

const alarmLabels: Record<Status['alarms'][number]['kind'], string> = {
  no_agent: 'No agent was connected',
  overdue: 'Runs were overdue',
  unknown_checks: 'The state of checks was unknown',
}

function Alarms({ alarms }: { alarms: Status['alarms'] }) {
  return (
    <section aria-labelledby="alarms">
      <h2 id="alarms">Alarms</h2>
      <ul className="panels">
        {alarms.map((alarm) => (
          <li key={alarm.id} className="panel">
            <StateLabel
              state={alarm.resolvedAt === null ? 'failing' : 'passing'}
              label={alarm.resolvedAt === null ? 'Open' : 'Resolved'}
            />{' '}
            {alarmLabels[alarm.kind]}: {formatNumberOf(alarm.checkCount, 'check')} didn’t run
            {alarm.checks.length > 0 && ` (${alarm.checks.join(', ')})`}.{' '}
            <span className="muted-text">
              <Moment at={alarm.openedAt} />
              {alarm.resolvedAt !== null &&
                `, for ${formatSpan(Date.parse(alarm.resolvedAt) - Date.parse(alarm.openedAt))}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function PrivateSettings({ id }: { id: string }) {
  const { account } = useSession()
  const { data, error, refetch } = usePrivateLocation(id)
  if (error && data === undefined) return <Failure what="The settings" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad rows={2} />
  const curl = locationAsCurl(data, { origin: location.origin + basePath, accountId: account.id })
  return (
    <>
      <KeyList location={data} onIssued={(key) => rememberKey(id, key)} />
      <section aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        <ProjectBadge {...data} />
        <dl className="facts">
          <dt>Proxy</dt>
          <dd>{data.proxyUrl ? <code className="mono">{withoutPassword(data.proxyUrl)}</code> : 'None'}</dd>
          <dt>Created</dt>
          <dd>
            <Moment at={data.created_at} />
          </dd>
        </dl>
      </section>
      <details>
        <summary>View as code</summary>
        <div className="stack">
          {[
            ['TypeScript construct', resourcesAsConstructs({ privateLocations: [data] })],
            ['Terraform', resourceAsTerraform('private-location', data, data.slugName)],
            ['curl', curl],
          ].map(([title = '', text = '']) => (
            <section key={title} className="panel" aria-label={title}>
              <header className="section-head">
                <h3>{title}</h3>
                <CopyButton text={text} />
              </header>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
              <pre tabIndex={0}>{text}</pre>
            </section>
          ))}
        </div>
      </details>
    </>
  )
}

/** Anyone may look over a shoulder. */
function withoutPassword(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1•••@')
}
