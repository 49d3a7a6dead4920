// The icon of a state, in the shapes that public pages use too.
import { memo } from 'react'
import shapes from '../../../server/src/look/state-shapes.json'
import { muteWords } from '../core/mute-times.ts'
import { type StateName, stateLabels } from '../core/states.ts'
import { Icon } from './icon.tsx'
import { useNow, useTimeOptions } from './time.tsx'

export const StateIcon = memo(function StateIcon({ state }: { state: StateName }) {
  return (
    <svg
      className={`icon ${state}`}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[state].map(({ d, ...dashes }) => (
        <path
          key={d}
          d={d}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinejoin="round"
          {...('dash' in dashes ? { strokeDasharray: dashes.dash } : {})}
        />
      ))}
    </svg>
  )
})

export function StateLabel({ state, label = stateLabels[state] }: { state: StateName; label?: string }) {
  return (
    <span className={`state ${state}`}>
      <StateIcon state={state} />
      {label}
    </span>
  )
}

/** Beside any state. */
export function MutedMark({ until = null }: { until?: string | null }) {
  const words = muteWords(until, useNow(), useTimeOptions())
  return (
    <span className="muted-mark" title={`${words}: its alerts are silenced`}>
      <Icon name="muted" />
      <span className="unseen">{words}</span>
    </span>
  )
}
