// One more attempt at a target that failed, with its packets captured: a connection without a word sent over it, or a
// ping. Nothing of the check's request is in it, so there is nothing to scrub.

import { isIPv6 } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { CaptureSubject } from './capture-filter.ts'
import { openPacketCapture } from './packet-capture.ts'
import { ping } from './ping.ts'
import type { ProbeAnswer } from './probe-answer.ts'
import { openTcpProbe } from './tcp-probe.ts'

interface AttemptContext {
  signal: AbortSignal
  monotonic(): number
}

export type CapturedAttempt = { captureError: string } | { pcapDataUrl: string; repeated: unknown }

const maxBytes = 64 * 1024
/** Long enough to see a first packet sent again, which is after a second. */
const attemptMs = 2_000
/** For what comes right after: a greeting, a reset. */
const lingerMs = 100

/** The address passed the rules before. */
export async function captureAttempt(
  { address, port }: { address: string; port: number | null },
  context: AttemptContext,
): Promise<CapturedAttempt> {
  try {
    return port === null ? await pinging(address, context) : await connecting(address, port, context)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return { captureError: missing[code] ?? `no packet capture here: ${message}` }
  }
}

const lacking = 'no packet capture: this process lacks CAP_NET_RAW (Docker: --cap-add NET_RAW)'
const missing: Record<string, string> = { EPERM: lacking, EACCES: lacking }

async function connecting(address: string, port: number, context: AttemptContext): Promise<CapturedAttempt> {
  const probe = await openTcpProbe({ address, port, ttl: null, timeoutMs: attemptMs })
  try {
    const subject = { protocol: 'TCP', address, port, localPort: probe.localPort } as const
    return await captured(subject, context, (): Promise<ProbeAnswer> => probe.run(context))
  } finally {
    probe.close()
  }
}

function pinging(address: string, context: AttemptContext): Promise<CapturedAttempt> {
  const plan = { address, count: 1, intervalMs: 0, timeoutMs: attemptMs }
  return captured({ protocol: 'ICMP', address }, context, () => ping(plan, isIPv6(address) ? 6 : 4, context))
}

async function captured(
  subject: CaptureSubject,
  { signal }: AttemptContext,
  attempt: () => Promise<unknown>,
): Promise<CapturedAttempt> {
  const capture = await openPacketCapture(subject)
  let file: Buffer = Buffer.alloc(0)
  let repeated: unknown
  try {
    repeated = await attempt()
    await pause(lingerMs, undefined, { signal }).catch(() => {})
  } finally {
    file = capture.stop(maxBytes)
  }
  return { pcapDataUrl: `data:application/vnd.tcpdump.pcap;base64,${file.toString('base64')}`, repeated }
}
