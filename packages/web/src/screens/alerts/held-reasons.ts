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
