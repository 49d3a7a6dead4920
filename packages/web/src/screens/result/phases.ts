// How long each phase of a run took, from its evidence.
import type { ShownResult } from '../../api/types.ts'
import { networkEvidence } from '../../core/read-run.ts'

export interface Phase {
  label: string
  ms: number
}

const labels: Record<string, string> = {
  dns: 'DNS lookup',
  connect: 'TCP connection',
  tcp: 'TCP connection',
  connection: 'TCP connection',
  tls: 'TLS handshake',
  send: 'Sending the request',
  wait: 'Waiting for a response',
  firstByte: 'Waiting for a response',
  receive: 'Receiving',
  download: 'Receiving',
  data: 'Sending and receiving',
}

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
