import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../api/call.ts'
import { ScreenFrame } from './screen.tsx'
import { Moment } from './time.tsx'

interface NotFoundProps {
  what?: string
  /** Who deleted it is in the audit log. */
  resourceId?: string
}

export function NotFound({ what = 'This page', resourceId }: NotFoundProps) {
  return (
    <ScreenFrame title={`${what} doesn’t exist`} tabTitle="Not found">
      <div className="empty">
        {resourceId === undefined ? <MayBeElsewhere /> : <WhoDeletedIt id={resourceId} />}
        <p>
          <Link href="/checks">All checks</Link> · <Link href="/">Home</Link>
        </p>
      </div>
    </ScreenFrame>
  )
}

function MayBeElsewhere() {
  return <p>It may have been deleted, or it belongs to another account.</p>
}

function WhoDeletedIt({ id }: { id: string }) {
  const { data, isPending } = useQuery({
    queryKey: ['audit-log', 'deletion', id],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/audit-log',
        { query: { resourceId: id, action: 'delete', outcome: 'done', limit: 1 } },
        signal,
      ),
    retry: false,
  })
  const [entry] = data?.entries ?? []
  if (isPending) return null
  if (entry === undefined) return <MayBeElsewhere />
  return (
    <p>
      {entry.resource.name === null ? 'It was deleted' : `“${entry.resource.name}” was deleted`} by{' '}
      {entry.actor.name ?? 'someone'}, <Moment at={entry.created_at} />.
    </p>
  )
}
