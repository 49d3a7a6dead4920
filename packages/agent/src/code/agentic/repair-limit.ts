// Limits how often a model repairs a script: a site that is down for a day must not cost a conversation per run.

export interface RepairLimit {
  allows(checkId: string, script: string, now: number): boolean
}

const everyMs = 60 * 60_000
const maxRemembered = 10_000

export function repairLimit(): RepairLimit {
  const lastTries = new Map<string, { script: string; at: number }>()
  return {
    allows(checkId, script, now) {
      const last = lastTries.get(checkId)
      if (last && last.script === script && now - last.at < everyMs) return false
      // Moved to the end: the oldest entry is evicted first.
      lastTries.delete(checkId)
      lastTries.set(checkId, { script, at: now })
      const oldest = lastTries.size > maxRemembered ? lastTries.keys().next().value : undefined
      if (oldest !== undefined) lastTries.delete(oldest)
      return true
    },
  }
}
