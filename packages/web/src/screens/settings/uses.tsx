// In the dialog that deletes something shared: the checks and groups that use it.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import { formatNumberOf } from '../../core/format.ts'
import { reasonOf } from '../../parts/states.tsx'

type Uses = ResponseTo<'GET /v1/snippets/{id}/uses'>

interface UsesListProps {
  queryKey: readonly unknown[]
  load(signal: AbortSignal): Promise<Uses>
  /** What happens to them. */
  consequence: string
}

export function UsesList({ queryKey, load, consequence }: UsesListProps) {
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => load(signal), staleTime: 0 })
  if (error) return <p className="field-error">What uses it couldn’t be loaded: {reasonOf(error)}</p>
  if (data === undefined) return <p role="status">Looking for what uses it…</p>
  const { checks, checkCount, groups, groupCount } = data
  if (checkCount + groupCount === 0) return <p>No check or group uses it.</p>
  const parts = [
    ...(checkCount > 0 ? [formatNumberOf(checkCount, 'check')] : []),
    ...(groupCount > 0 ? [formatNumberOf(groupCount, 'group')] : []),
  ]
  const more = checkCount + groupCount - checks.length - groups.length
  return (
    <>
      <p>
        Used by {parts.join(' and ')}. {consequence}
      </p>
      <ul>
        {checks.map(({ id, name }) => (
          <li key={id}>
            <Link href={`/checks/${id}`}>{name}</Link>
          </li>
        ))}
        {groups.map(({ id, name }) => (
          <li key={id}>
            <Link href={`/checks?groupId=${id}`}>{name}</Link> (group)
          </li>
        ))}
        {more > 0 && <li className="muted-text">and {more} more</li>}
      </ul>
    </>
  )
}
