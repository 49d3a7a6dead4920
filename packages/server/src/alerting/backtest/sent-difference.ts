// Alerts that would have been told beside those that were: each belongs to at most one of the others.

export interface ComparedAlert {
  kind: 'failure' | 'degraded' | 'recovery'
  /** Of the run that it tells of. */
  scheduledAt: number
  episodeAt: number | null
}

/** First those of the same run, then of the same episode. Both are in the order of time. */
export function pairWithSent<T extends ComparedAlert, S extends ComparedAlert>(
  told: readonly T[],
  sent: readonly S[],
): Map<T, S> {
  const pairs = new Map<T, S>()
  const taken = new Set<S>()
  const pairBy = (keyOf: (alert: ComparedAlert) => string) => {
    const open = Map.groupBy(
      sent.filter((alert) => !taken.has(alert)),
      keyOf,
    )
    for (const alert of told) {
      if (pairs.has(alert)) continue
      const found = open.get(keyOf(alert))?.shift()
      if (found === undefined) continue
      pairs.set(alert, found)
      taken.add(found)
    }
  }
  pairBy(({ kind, scheduledAt }) => `${kind} ${scheduledAt}`)
  pairBy(({ kind, episodeAt, scheduledAt }) => `${kind} ${episodeAt ?? scheduledAt}`)
  return pairs
}
