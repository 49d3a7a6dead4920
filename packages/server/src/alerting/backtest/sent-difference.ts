// Pairs the alerts of a backtest with the alerts that were sent: each belongs to at most one pair.

export interface ComparedAlert {
  kind: 'failure' | 'degraded' | 'recovery'
  /** The slot of the run that triggered it. */
  scheduledAt: number
  episodeAt: number | null
}

/** Pairs by run first, then by episode. Both lists must be in the order of time. */
export function pairWithSent<T extends ComparedAlert, S extends ComparedAlert>(
  alerts: readonly T[],
  sent: readonly S[],
): Map<T, S> {
  const pairs = new Map<T, S>()
  const paired = new Set<S>()
  const pairBy = (keyOf: (alert: ComparedAlert) => string) => {
    const open = Map.groupBy(
      sent.filter((alert) => !paired.has(alert)),
      keyOf,
    )
    for (const alert of alerts) {
      if (pairs.has(alert)) continue
      const match = open.get(keyOf(alert))?.shift()
      if (match === undefined) continue
      pairs.set(alert, match)
      paired.add(match)
    }
  }
  pairBy(({ kind, scheduledAt }) => `${kind} ${scheduledAt}`)
  pairBy(({ kind, episodeAt, scheduledAt }) => `${kind} ${episodeAt ?? scheduledAt}`)
  return pairs
}
