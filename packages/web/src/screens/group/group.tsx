// A check group: its checks, what it sets for them, and its code.
import '../check/check.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { groupAsCurl } from '@vedette/as-code/group-code'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { useRef, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { useSession } from '../../api/session.tsx'
import { formatCount, formatNumberOf } from '../../core/format.ts'
import { isMuted } from '../../core/mute-times.ts'
import { scheduleInWords } from '../../core/schedule-words.ts'
import { typeLabels } from '../../core/states.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { groupValuesOf } from '../../forms/schemas/group.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MuteControl } from '../../parts/mute-button.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { MutedMark, StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'
import { useNow } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { changesInWords } from '../edit-check/check-form.tsx'
import { GroupForm } from './group-form.tsx'
import { updateGroup } from './save-group.ts'
import { useGroupMute } from './use-group-mute.ts'

type CheckGroup = ResponseTo<'GET /v1/check-groups/{id}'>

const readGroup = (id: number, signal?: AbortSignal) =>
  call('GET /v1/check-groups/{id}', { params: { id } }, signal)

const versionOf = ({ updated_at, created_at }: CheckGroup) => updated_at ?? created_at

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['check-group', id],
    queryFn: ({ signal }) => readGroup(Number(id), signal),
    refetchOnWindowFocus: false,
  })
  if (data !== undefined) return <Loaded group={data} />
  if (isNotFound(error)) return <NotFound what="This group" />
  return (
    <ScreenFrame title="Group">
      {error ? <Failure what="The group" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

const tabs = [
  { id: 'checks', label: 'Checks', Content: MemberList },
  { id: 'settings', label: 'Settings', Content: Settings },
  { id: 'code', label: 'Code', Content: Code },
]

function useMembers(groupId: number) {
  return useQuery({
    queryKey: ['check-group-checks', groupId],
    queryFn: ({ signal }) =>
      callList(
        'GET /v2/check-groups/{id}/checks',
        { params: { id: groupId }, query: { limit: 100 } },
        signal,
      ),
  })
}

function Loaded({ group }: { group: CheckGroup }) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [search, setSearch] = useSearchParameters()
  const [isDeleting, setDeleting] = useState(false)
  const members = useMembers(group.id)
  const mute = useGroupMute(group)
  const tab = tabs.find(({ id }) => id === search.get('tab'))?.id ?? 'checks'
  const total = members.data?.total ?? 0
  const denial = denialOf('READ_WRITE')
  return (
    <ScreenFrame
      title={group.name}
      trail={
        <>
          <Link href="/checks">Checks</Link> / Group
        </>
      }
      actions={
        <>
          <Link href={`/checks/new?group=${group.id}`} className="button primary">
            <Icon name="plus" />
            New check
          </Link>
          <MuteControl item={group} change={mute} />
          <ActionButton look="danger" denial={denial} onPress={() => setDeleting(true)}>
            Delete
          </ActionButton>
        </>
      }
    >
      <ProjectBadge {...group} />
      <Tabs
        selectedKey={tab}
        onSelectionChange={(key) => {
          const changed = new URLSearchParams(search)
          if (key === 'checks') changed.delete('tab')
          else changed.set('tab', String(key))
          setSearch(changed, { isNewEntry: true })
        }}
        className="tabs"
      >
        <div className="tab-bar">
          <TabList aria-label="About this group" className="tab-list">
            {tabs.map(({ id, label }) => (
              <Tab key={id} id={id} className="tab">
                {label}
              </Tab>
            ))}
          </TabList>
        </div>
        {tabs.map(({ id, Content }) => (
          <TabPanel key={id} id={id} className="tab-panel">
            <Content group={group} />
          </TabPanel>
        ))}
      </Tabs>
      <DeleteDialog
        what={`the group “${group.name}”`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDelete={() => call('DELETE /v1/check-groups/{id}', { params: { id: group.id } })}
        onDeleted={() => {
          void queries.invalidateQueries()
          navigate('/checks')
          showOutcome(`The group “${group.name}” is deleted.`)
        }}
      >
        {total > 0 ? (
          <p>
            It has {formatNumberOf(total, 'check')}. Move or delete them first: a group with checks can’t be
            deleted.
          </p>
        ) : (
          <p>It has no checks. Its settings, variables and secrets, and its trigger URL are lost.</p>
        )}
      </DeleteDialog>
    </ScreenFrame>
  )
}

function MemberList({ group }: { group: CheckGroup }) {
  const { data, error, refetch } = useMembers(group.id)
  const nameOf = useLocationNames()
  const now = useNow()
  if (error && data === undefined) return <Failure what="The checks" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  if (data.total === 0)
    return (
      <Empty title="No checks in this group yet">
        <p className="muted-text">Its settings apply to every check that is in it.</p>
        <Link href={`/checks/new?group=${group.id}`} className="button primary">
          New check
        </Link>
      </Empty>
    )
  return (
    <>
      <TableBox label="Checks of this group">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Schedule</th>
            </tr>
          </thead>
          <tbody>
            {data.entries.map((check) => (
              <tr key={check.id}>
                <td>
                  <StateLabel state={check.state} />
                </td>
                <td>
                  <Link href={`/checks/${check.id}`}>{check.name}</Link>
                  {isMuted(check, now) && (
                    <MutedMark until={check.muted ? null : (check.mutedUntil ?? null)} />
                  )}
                </td>
                <td>{typeLabels[check.checkType]}</td>
                <td>{scheduleInWords(check, nameOf)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {data.total > data.entries.length && (
        <p className="muted-text">
          The first {data.entries.length} of {formatCount(data.total)}.{' '}
          <Link href={`/checks?groupId=${group.id}`}>Show all</Link>
        </p>
      )}
    </>
  )
}

function Settings({ group }: { group: CheckGroup }) {
  const queries = useQueryClient()
  const version = useRef(versionOf(group))
  const changed = useRef<readonly string[]>([])
  const [first] = useState(group)
  return (
    <GroupForm
      draftKey={`group/${group.id}`}
      saved={groupValuesOf(first)}
      reload={async () => {
        const current = await readGroup(group.id)
        version.current = versionOf(current)
        return groupValuesOf(current)
      }}
      save={(values, changes) => {
        changed.current = changes.map(({ path }) => path)
        return updateGroup({ id: group.id, version: version.current }, values, changes)
      }}
      onSaved={() => {
        void queries.invalidateQueries()
        showOutcome(changesInWords(changed.current))
      }}
    />
  )
}

function Code({ group }: { group: CheckGroup }) {
  const { account } = useSession()
  const curl = groupAsCurl(group, { origin: location.origin + basePath, accountId: account.id })
  return (
    <div className="stack">
      <p className="muted-text">Secret values aren’t shown: they are read from environment variables.</p>
      <CodeBlock title="TypeScript construct" text={resourcesAsConstructs({ checkGroups: [group] })} />
      <TerraformBlock kind="check-group" resource={group} name={group.name} />
      <CodeBlock title="curl" text={curl} />
    </div>
  )
}
