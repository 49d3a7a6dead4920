// One more attempt at a target that failed, with its packets captured: a connection over which nothing is sent, or a ping.
// It contains nothing of the check's request, so there is nothing to scrub.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { CaptureSubject } from './capture-filter.ts'
import { tokenSize } from './icmp-packet.ts'
import { openPacketCapture } from './packet-capture.ts'
import { ping } from './ping.ts'
import { openTcpProbe, type ProbeContext } from './probes.ts'

export type CapturedAttempt = { captureError: string } | { pcapDataUrl: string; repeated: unknown }

const maxBytes = 64 * 1024
/** Long enough for the first retransmission, which comes after a second. */
const attemptMs = 2_000
/** For packets that follow at once: a greeting, a reset. */
const lingerMs = 100

/** The address has passed the address policy. */
export async function captureAttempt(
  { address, port }: { address: string; port: number | null },
  context: ProbeContext,
): Promise<CapturedAttempt> {
  try {
    if (port === null) {
      const token = randomBytes(tokenSize)
      const request = { address, count: 1, intervalMs: 0, timeoutMs: attemptMs, token }
      return await capture({ protocol: 'ICMP', address, token }, context, () => ping(request, context))
    }
    const probe = await openTcpProbe({ address, port, ttl: null, timeoutMs: attemptMs })
    const subject = { protocol: 'TCP', address, port, localPort: probe.localPort } as const
    return await capture(subject, context, () => probe.run(context)).finally(probe.close)
  } catch (error) {
    const isForbidden = ['EPERM', 'EACCES'].includes(errorCode(error) ?? '')
    const reason = isForbidden
      ? 'this process lacks CAP_NET_RAW (Docker: --cap-add NET_RAW)'
      : errorMessage(error)
    return { captureError: `packets can't be captured: ${reason}` }
  }
}

async function capture(
  subject: CaptureSubject,
  { signal }: ProbeContext,
  attempt: () => Promise<unknown>,
): Promise<CapturedAttempt> {
  const packets = await openPacketCapture(subject)
  let file: Buffer = Buffer.alloc(0)
  let repeated: unknown
  try {
    repeated = await attempt()
    await pause(lingerMs, undefined, { signal }).catch(() => {})
  } finally {
    file = packets.stop(maxBytes)
  }
  return { pcapDataUrl: `data:application/vnd.tcpdump.pcap;base64,${file.toString('base64')}`, repeated }
}
