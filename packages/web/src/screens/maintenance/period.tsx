import { formatExact } from '../../core/format.ts'
import { useTimeOptions } from '../../parts/time.tsx'

/** `2026-11-23 02:00 to 04:00`, with the second date if it is another day. */
export function Period({ startsAt, endsAt }: { startsAt: string; endsAt: string }) {
  const options = useTimeOptions()
  const [start, end] = [startsAt, endsAt].map((at) => formatExact(Date.parse(at), options).slice(0, 16))
  const isSameDay = start?.slice(0, 10) === end?.slice(0, 10)
  return (
    <>
      <time dateTime={startsAt}>{start}</time> to{' '}
      <time dateTime={endsAt}>{isSameDay ? end?.slice(11) : end}</time>
    </>
  )
}
