import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { StatusPage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { toCsv } from '../../core/csv.ts'
import { download } from '../../core/download.ts'
import { formatCount, formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { WordList } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { subscriberProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

/** More rows than that are found by the filter or in the file. */
const shownRows = 200

const keyOf = (pageId: string) => ['subscribers', pageId]

export function SubscribersTab({ page }: { page: StatusPage }) {
  const { denialOf } = useSession()
  const [filter, setFilter] = useState('')
  const [additions, setAdditions] = useState(0)
  const [removed, setRemoved] = useState<{ id: string; address: string } | null>(null)
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(page.id),
    queryFn: ({ signal }) =>
      call(
        'GET /v1/status-pages/{statusPageId}/subscriptions',
        { params: { statusPageId: page.id } },
        signal,
      ),
  })
  if (error && data === undefined) return <Failure what="The subscribers" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const found = data.filter(({ address }) => address.toLowerCase().includes(filter.trim().toLowerCase()))
  const confirmed = data.filter(({ status }) => status === 'VERIFIED').length
  const exportAll = () => {
    const rows = data.map(({ address, status, created_at }) => [address, status, created_at])
    download(`${page.url}-subscribers.csv`, toCsv([['Email', 'Status', 'Since'], ...rows]), 'text/csv')
  }
  return (
    <div className="stack">
      <AddSubscribers key={additions} page={page} onAdded={() => setAdditions((before) => before + 1)} />
      {data.length === 0 ? (
        <Empty title="No subscribers yet">
          <p className="muted-text">
            Visitors subscribe at the bottom of the page{page.isPrivate ? ', once it is public' : ''}. They
            get an email for each update that is sent to subscribers.
          </p>
        </Empty>
      ) : (
        <>
          <div className="filter-bar">
            <input
              type="search"
              className="text-input subscriber-filter"
              aria-label="Filter by address"
              placeholder="Filter by address"
              value={filter}
              onChange={({ target }) => setFilter(target.value)}
            />
            <span className="muted-text" role="status">
              {filter === ''
                ? `${formatNumberOf(data.length, 'subscriber')}, ${formatCount(confirmed)} confirmed`
                : `${formatCount(found.length)} of ${formatCount(data.length)}`}
            </span>
            <ActionButton onPress={exportAll}>Export CSV</ActionButton>
          </div>
          {found.length === 0 ? (
            <Empty title="No address matches">
              <ActionButton onPress={() => setFilter('')}>Clear filter</ActionButton>
            </Empty>
          ) : (
            <TableBox label="Subscribers">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Email</th>
                    <th scope="col">Status</th>
                    <th scope="col">Since</th>
                    <th scope="col">
                      <span className="unseen">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {found.slice(0, shownRows).map(({ id, address, status, created_at }) => (
                    <tr key={id}>
                      <td>{address}</td>
                      <td>{status === 'VERIFIED' ? 'Confirmed' : 'Not confirmed yet'}</td>
                      <td className="nowrap">
                        <RelativeTime at={created_at} />
                      </td>
                      <td>
                        <ActionButton
                          look="quiet"
                          denial={denialOf('READ_WRITE')}
                          aria-label={`Remove ${address}`}
                          onPress={() => setRemoved({ id, address })}
                        >
                          Remove
                        </ActionButton>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </TableBox>
          )}
          {found.length > shownRows && (
            <p className="muted-text">The first {shownRows} are shown. Filter, or export all of them.</p>
          )}
        </>
      )}
      {removed !== null && (
        <DeleteDialog
          what={`the subscriber ${removed.address}`}
          isOpen
          onClose={() => setRemoved(null)}
          onDelete={() =>
            call('DELETE /v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}', {
              params: { statusPageId: page.id, subscriptionId: removed.id },
            })
          }
          onDeleted={() => {
            setRemoved(null)
            showOutcome(`${removed.address} was removed.`)
            void queries.invalidateQueries({ queryKey: keyOf(page.id) })
          }}
        >
          <p>They get no more emails about this page. They can subscribe again.</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function AddSubscribers({ page, onAdded }: { page: StatusPage; onAdded(): void }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const form = useForm<{ addresses: string[] }>({
    key: `subscribers/${page.id}`,
    saved: { addresses: [] },
    problemsOf: subscriberProblems,
    save: async ({ addresses }) => {
      const { created, skipped } = await call('POST /v1/status-pages/{statusPageId}/subscriptions/bulk', {
        params: { statusPageId: page.id },
        body: { subscriptions: addresses.map((config) => ({ type: 'EMAIL' as const, config })) },
      })
      const known = skipped === 0 ? '' : ` ${skipped} subscribed before.`
      showOutcome(`${formatNumberOf(created, 'subscriber')} added. Each gets an email to confirm.${known}`)
    },
  })
  return (
    <FormFrame
      form={form}
      saveLabel="Add subscribers"
      denial={denialOf('READ_WRITE')}
      onSaved={() => {
        onAdded()
        void queries.invalidateQueries({ queryKey: keyOf(page.id) })
      }}
    >
      <WordList
        form={form}
        path="addresses"
        label="Email addresses"
        placeholder="ada@example.com, …"
        description="Up to 100 at once, separated by commas. They receive nothing until they confirm."
      />
    </FormFrame>
  )
}
