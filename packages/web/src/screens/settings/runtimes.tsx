// What scripts can use: Node.js and packages, by version.
import { useQuery } from '@tanstack/react-query'
import { call, type ResponseTo } from '../../api/call.ts'
import { formatNumberOf } from '../../core/format.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'

type Runtime = ResponseTo<'GET /v1/runtimes'>[number]

export function Screen() {
  const runtimes = useQuery({
    queryKey: ['runtimes'],
    queryFn: ({ signal }) => call('GET /v1/runtimes', {}, signal),
  })
  const account = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => call('GET /v1/accounts/me', {}, signal),
  })
  const { data, error, refetch } = runtimes
  return (
    <ScreenFrame title="Runtimes">
      <p className="muted-text">
        A runtime is a version of Node.js with packages that scripts can load. A check that doesn’t choose one
        uses that of the account.
      </p>
      {error && <Failure what="The runtimes" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad />}
      {data?.length === 0 && (
        <Empty title="No runtime is installed">
          <p className="muted-text">
            Scripts can’t run. On the server’s machine, <code>npm run runtime</code> installs one.
          </p>
        </Empty>
      )}
      <ul className="panels">
        {data?.map((runtime) => (
          <RuntimePanel
            key={runtime.name}
            runtime={runtime}
            isDefault={account.data?.runtimeId === runtime.name}
          />
        ))}
      </ul>
    </ScreenFrame>
  )
}

function RuntimePanel({ runtime, isDefault }: { runtime: Runtime; isDefault: boolean }) {
  const { name, stage, nodeJsVersion, runtimeEndOfLife, description, dependencies, problems } = runtime
  const packages = Object.entries(dependencies)
  return (
    <li className="panel">
      <div className="setting-row-name">
        <h2 className="mono">{name}</h2>
        {isDefault && <span className="tag">Default of this account</span>}
        {stage && <span className="tag">{stage.toLowerCase().replace('_', ' ')}</span>}
      </div>
      <p className="muted-text">
        Node.js {nodeJsVersion}
        {runtime.multiStepSupport && ', runs multi-step checks'}
        {runtimeEndOfLife && `, removed on ${isoDate(runtimeEndOfLife)}`}
        {description && `. ${description}`}
      </p>
      {problems?.map(({ agentName, message }) => (
        <p key={`${agentName} ${message}`} className="failing">
          {agentName ?? 'An agent'} couldn’t load it: {message}
        </p>
      ))}
      <details>
        <summary>{formatNumberOf(packages.length, 'package')}</summary>
        <ul className="package-list">
          {packages.map(([packageName, version]) => (
            <li key={packageName}>
              <code>
                {packageName} {version}
              </code>
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}

/** 12/31/2026 → 2026-12-31. */
function isoDate(text: string): string {
  const [, month = '', day = '', year = ''] = /^(\d+)\/(\d+)\/(\d+)$/.exec(text) ?? []
  return year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
