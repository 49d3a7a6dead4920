import { Link } from 'wouter'

/** To who changed a resource, and how. */
export function HistoryLink({ resourceId }: { resourceId: string }) {
  return (
    <Link href={`/settings/audit-log?resource=${encodeURIComponent(resourceId)}`} className="button quiet">
      History
    </Link>
  )
}
