// One check: its state and schedule, and what it did in a range of time.
import './check.css'
import { useMemo } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Link } from 'wouter'
import { useCheck } from '../../api/check.ts'
import { useLocationNames } from '../../api/locations.ts'
import type { Check } from '../../api/types.ts'
import { isMuted } from '../../core/mute-times.ts'
import { scheduleInWords } from '../../core/schedule-words.ts'
import { typeLabels } from '../../core/states.ts'
import { readRange } from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { useLive } from '../../live/live-provider.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { MutedMark, StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { Since, useNow } from '../../parts/time.tsx'
import { AlertsTab } from './alerts-tab.tsx'
import { CodeTab } from './code-tab.tsx'
import { CoverageTab } from './coverage-tab.tsx'
import { ErrorsTab } from './errors-tab.tsx'
import { GroupMuted } from './group-muted.tsx'
import { HeaderActions } from './header-actions.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { RangePicker } from './range-picker.tsx'
import { ResultsTab } from './results-tab.tsx'
import type { TabProps } from './tab-props.ts'

const tabs: { id: string; label: string; Content(props: TabProps): React.ReactNode }[] = [
  { id: 'overview', label: 'Overview', Content: OverviewTab },
  { id: 'results', label: 'Results', Content: ResultsTab },
  { id: 'errors', label: 'Errors', Content: ErrorsTab },
  { id: 'alerts', label: 'Alerts', Content: AlertsTab },
  { id: 'coverage', label: 'Coverage', Content: CoverageTab },
  { id: 'code', label: 'Code', Content: CodeTab },
]

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useCheck(id)
  if (data !== undefined) return <Loaded check={data} onChange={refetch} />
  if (isNotFound(error)) return <NotFound what="This check" resourceId={id} />
  return (
    <ScreenFrame title="Check">
      {error ? <Failure what="The check" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function Loaded({ check, onChange }: { check: Check; onChange(): void }) {
  const [search, setSearch] = useSearchParameters()
  const nameOf = useLocationNames()
  const now = useNow()
  // The same range is the same object: charts are drawn anew only when it moves.
  const { span, from, to } = readRange(search, now)
  const range = useMemo(() => ({ span, from, to }), [span, from, to])
  useLive([check.id], { onChange: ({ checks }) => checks.length > 0 && onChange() })
  const tab = tabs.find(({ id }) => id === search.get('tab'))?.id ?? 'overview'
  const selectTab = (next: string) => {
    const changed = new URLSearchParams(search)
    if (next === 'overview') changed.delete('tab')
    else changed.set('tab', next)
    setSearch(changed, { isNewEntry: true })
  }
  return (
    <ScreenFrame
      title={check.name}
      trail={<Link href="/checks">Checks</Link>}
      actions={<HeaderActions check={check} />}
    >
      <ProjectBadge {...check} />
      <div className="check-facts">
        <p className="check-state">
          <StateLabel state={check.state} />
          <span className="muted-text">
            <Since at={check.since} />
          </span>
          {isMuted(check, now) && <MutedMark until={check.muted ? null : check.mutedUntil} />}
        </p>
        {check.groupId !== null && check.groupId !== undefined && <GroupMuted groupId={check.groupId} />}
        {check.state !== 'passing' && <p>{check.reason}</p>}
        <p className="muted-text">
          {typeLabels[check.checkType]}, {scheduleInWords(check, nameOf)}
          {check.staleLocations.length > 0 && (
            <span className="degraded">
              {' '}
              · no recent runs from {check.staleLocations.map(nameOf).join(', ')}
            </span>
          )}
        </p>
        {check.tags.length > 0 && (
          <p className="tag-list">
            {check.tags.map((tag) => (
              <Link key={tag} href={`/checks?tag=${encodeURIComponent(tag)}`} className="tag">
                {tag}
              </Link>
            ))}
          </p>
        )}
      </div>
      <Tabs selectedKey={tab} onSelectionChange={(key) => selectTab(String(key))} className="tabs">
        <div className="tab-bar">
          <TabList aria-label="About this check" className="tab-list">
            {tabs.map(({ id, label }) => (
              <Tab key={id} id={id} className="tab">
                {label}
              </Tab>
            ))}
          </TabList>
          {tab !== 'code' && <RangePicker range={range} />}
        </div>
        {tabs.map(({ id, Content }) => (
          <TabPanel key={id} id={id} className="tab-panel">
            <Content check={check} range={range} />
          </TabPanel>
        ))}
      </Tabs>
    </ScreenFrame>
  )
}
