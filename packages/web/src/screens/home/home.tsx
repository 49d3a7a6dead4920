// What is wrong now, what didn't run, and what happened lately.
import './home.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OverviewChange } from '@vedette/contracts'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { Overview } from '../../api/types.ts'
import { formatCount, formatNumberOf } from '../../core/format.ts'
import { useLive } from '../../live/live-provider.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateCounts } from '../../parts/state-counts.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { FirstCheck } from '../sign-in/first-check.tsx'
import { AttentionLine } from './attention-line.tsx'
import { RecentList } from './recent-list.tsx'

const overviewKey = ['overview']
const announceMs = 10_000

export function Screen() {
  const { data, error, refetch } = useQuery({
    queryKey: overviewKey,
    queryFn: ({ signal }) => call('GET /v1/overview', {}, signal),
    refetchOnMount: 'always',
  })
  if (data === undefined)
    return (
      <ScreenFrame title="Home">
        {error ? <Failure what="The overview" error={error} onRetry={refetch} /> : <FirstLoad />}
      </ScreenFrame>
    )
  if (data.total === 0) return <NewAccount />
  return <Loaded overview={data} />
}

function Loaded({ overview }: { overview: Overview }) {
  const queries = useQueryClient()
  const list = useRef<HTMLDivElement>(null)
  const [isOutdated, setOutdated] = useState(false)
  const [news, announce] = useAnnouncement()
  const refresh = async () => {
    await queries.refetchQueries({ queryKey: overviewKey })
    setOutdated(false)
  }
  const handleChange = ({ counts, muted, checks, changed }: OverviewChange) => {
    const more = counts.failing - overview.counts.failing
    if (more > 0) announce(`${formatNumberOf(more, 'more check')} failing now`)
    queries.setQueryData<Overview>(
      overviewKey,
      (known) => known && { ...known, counts, muted, at: new Date().toISOString() },
    )
    const isListed = (id: string) =>
      overview.attention.some((line) => line.checks.some((check) => check.id === id))
    const isNews =
      changed > 0 ||
      checks.some(({ id, state }) => isListed(id) !== ['failing', 'degraded', 'unknown'].includes(state))
    if (isNews) setOutdated(true)
  }
  const ids = overview.attention.flatMap(({ checks }) => checks.map(({ id }) => id))
  useLive(ids, { onChange: handleChange, onRecent: () => setOutdated(true) })
  // Nobody reads the list: it is renewed by itself. Otherwise a button does it.
  useEffect(() => {
    if (!isOutdated) return
    const timer = setInterval(() => {
      const isRead = scrollY > 0 || list.current?.matches(':hover, :focus-within')
      if (!isRead) refresh()
    }, 1_500)
    return () => clearInterval(timer)
  })
  const { attention, coverage, recent, counts, muted } = overview
  return (
    <ScreenFrame title="Home">
      <StateCounts counts={counts} muted={muted} />
      <p className="unseen" aria-live="polite">
        {news}
      </p>
      <section aria-labelledby="attention" ref={list}>
        <header className="section-head">
          <h2 id="attention">Needs attention</h2>
          {isOutdated && (
            <ActionButton look="quiet" onPress={refresh}>
              <Icon name="refresh" />
              Something changed: refresh
            </ActionButton>
          )}
        </header>
        {attention.length === 0 ? (
          <AllGreen overview={overview} />
        ) : (
          <RowKeys>
            <ul className="attention">
              {attention.map((line) => (
                <AttentionLine key={line.key} line={line} />
              ))}
            </ul>
          </RowKeys>
        )}
      </section>
      {coverage.sentence && (
        <section aria-labelledby="coverage">
          <h2 id="coverage">Coverage</h2>
          <p>
            {coverage.sentence} <Link href="/checks?state=unknown">Checks that don’t run</Link>
          </p>
        </section>
      )}
      <RecentList recent={recent} />
    </ScreenFrame>
  )
}

function AllGreen({ overview: { counts, lastRunAt, coverage, total } }: { overview: Overview }) {
  const active = total - counts.inactive
  return (
    <div className="all-green">
      <StateIcon state="passing" />
      <div>
        <p className="lead">{counts.passing === active ? 'All checks pass' : 'Nothing needs attention'}</p>
        <p className="muted-text">
          {formatNumberOf(active, 'active check')}
          {coverage.expected > 0 &&
            `, ${formatCount(coverage.executed)} of ${formatNumberOf(coverage.expected, 'run')} in 24 hours made`}
          {lastRunAt !== null && (
            <>
              , the last <RelativeTime at={lastRunAt} />
            </>
          )}
          .
        </p>
      </div>
    </div>
  )
}

function NewAccount() {
  const { account, denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  return (
    <ScreenFrame title="Home">
      <div className="empty">
        <p className="lead">Paste a URL to watch</p>
        <p className="muted-text">
          {account.name} has no checks yet. A check runs on a schedule and tells you when something breaks,
          and why.
        </p>
        {denial === null ? <FirstCheck /> : <p>{denial}</p>}
      </div>
    </ScreenFrame>
  )
}

/** For screen readers, at most once in ten seconds. */
function useAnnouncement(): [string, (text: string) => void] {
  const [text, setText] = useState('')
  const lastAt = useRef(0)
  const announce = (next: string) => {
    if (Date.now() - lastAt.current < announceMs) return
    lastAt.current = Date.now()
    setText(next)
  }
  return [text, announce]
}
