/** Why nobody was notified of a change, by the value of the API. */
export type HeldBy = 'muted' | 'inactive' | 'maintenance' | 'threshold' | 'parallel_threshold' | 'untold'

export const heldReasons: Record<HeldBy, string> = {
  muted: 'The check is muted.',
  inactive: 'The check is paused.',
  maintenance: 'A maintenance window silences it.',
  threshold: 'It hasn’t failed often or long enough yet.',
  parallel_threshold: 'It failed in too few locations.',
  untold: 'It passed again before anyone was notified.',
}

export const heldLabels: Record<HeldBy, string> = {
  muted: 'Muted',
  inactive: 'Paused',
  maintenance: 'Maintenance',
  threshold: 'Below the threshold',
  parallel_threshold: 'Too few locations',
  untold: 'Over before anyone was notified',
}

export function isHeldBy(text: string | null): text is HeldBy {
  return text !== null && Object.hasOwn(heldReasons, text)
}
