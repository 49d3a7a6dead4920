// How long each phase of a run took, from its evidence.
import phaseLabels from '../../../../server/src/look/phase-labels.json'
import type { ShownResult } from '../../api/types.ts'
import { networkEvidence } from '../../core/read-run.ts'

export interface Phase {
  label: string
  ms: number
}

const labels: Record<string, string> = phaseLabels

export function phasesOf(result: ShownResult): Phase[] {
  const { apiCheckResult } = result
  const phases = [
    apiCheckResult?.breakdown,
    apiCheckResult?.response?.timingPhases,
    networkEvidence(result)?.timingPhases,
  ].find((one) => one != null && Object.values(one).some((ms) => ms !== null))
  // In timingPhases `wait` is the time until a socket was assigned, which is 0 for a new connection.
  const isWire = phases != null && 'firstByte' in phases
  return Object.entries(phases ?? {}).flatMap(([name, ms]) => {
    const label = labels[name]
    return label === undefined || ms === null || ms < 0 || (isWire && name === 'wait') ? [] : [{ label, ms }]
  })
}
