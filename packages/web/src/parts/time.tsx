// Relative times with the exact time on hover, all renewed by one timer.
import { useSyncExternalStore } from 'react'
import { formatExact, formatMoment, formatRelative, formatSpan } from '../core/format.ts'
import { preferences } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'

const stepMs = 5_000
const minuteMs = 60_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The present time, at most five seconds old. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, readNow)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) timer = setInterval(tick, stepMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** Without a listener no timer runs: the first reader would get an old time. */
function readNow(): number {
  if (listeners.size === 0 && Date.now() - now > stepMs) now = Date.now()
  return now
}

export function useTimeOptions(): { isUtc: boolean } {
  const { isUtc } = useStore(preferences)
  return { isUtc }
}

export function RelativeTime({ at }: { at: string }) {
  const present = useNow()
  const options = useTimeOptions()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(time, options)}>
      {formatRelative(time, present)}
    </time>
  )
}

/** How long something has lasted: `for 12 min`. */
export function Since({ at }: { at: string }) {
  const present = useNow()
  const options = useTimeOptions()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={`Since ${formatExact(time, options)}`}>
      for {formatSpan(wholeMinutes(present - time))}
    </time>
  )
}

/** Seconds only matter in the first minute. */
function wholeMinutes(ms: number): number {
  return ms < minuteMs ? ms : Math.floor(ms / minuteMs) * minuteMs
}

/** The time of day, with the date if it isn't today. */
export function Moment({ at }: { at: string }) {
  const present = useNow()
  const options = useTimeOptions()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={`${formatExact(time, options)}, ${formatRelative(time, present)}`}>
      {formatMoment(time, present, options)}
    </time>
  )
}
