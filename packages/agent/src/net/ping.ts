// How this agent can ping, tried in this order: a ping socket (needs a sysctl), a raw socket (needs CAP_NET_RAW), the
// system's ping command. A way is found anew for every run: what the operator sets counts at once.
import { echo, type PingContext, type PingOutcome, type PingPlan } from './echo.ts'
import type { EchoFamily } from './icmp-packet.ts'
import { commandRefusal, pingByCommand } from './ping-command.ts'
import { openPingSocket, type PingSocketType } from './ping-socket.ts'

export type PingModeName = PingSocketType | 'ping-command'

export interface PingWay {
  mode: PingModeName
  /** Why it does not work here; null when it does. */
  refusal(family: EchoFamily): Promise<string | null>
  ping(plan: PingPlan, context: PingContext): Promise<PingOutcome>
}

export interface PingMode {
  mode: PingModeName | null
  /** The ways that were tried before, and why each does not work. */
  refusals: { mode: PingModeName; reason: string }[]
  /** What to set, when no way works. */
  hint: string | null
}

export const pingWays: readonly PingWay[] = [
  socketWay('ping-socket', { EACCES: 'net.ipv4.ping_group_range does not cover the group of this process' }),
  socketWay('raw-socket', { EPERM: 'this process lacks CAP_NET_RAW' }),
  { mode: 'ping-command', refusal: onceGranted(commandRefusal), ping: pingByCommand },
]

export const pingHint =
  'allow ICMP to this agent: sysctl -w net.ipv4.ping_group_range="0 2147483647" on its host, ' +
  'or the capability NET_RAW (Docker: --cap-add NET_RAW)'

/** For the agent's health: the way that pings take here. */
export async function pingMode(family: EchoFamily = 4, ways = pingWays): Promise<PingMode> {
  const { way, refusals } = await findWay(family, ways)
  return { mode: way?.mode ?? null, refusals, hint: way ? null : pingHint }
}

export async function ping(
  plan: PingPlan,
  family: EchoFamily,
  context: PingContext,
  ways = pingWays,
): Promise<PingOutcome & { mode: PingModeName | null }> {
  const { way, refusals } = await findWay(family, ways)
  if (way) return { ...(await way.ping(plan, context)), mode: way.mode }
  const reasons = refusals.map(({ mode, reason }) => `${mode}: ${reason}`).join('; ')
  const message = `this agent can not ping (${reasons}); ${pingHint}`
  return {
    results: [],
    failure: { kind: 'internal', message, phase: 'setup', code: 'PING_NOT_PERMITTED' },
    mode: null,
  }
}

async function findWay(family: EchoFamily, ways: readonly PingWay[]) {
  const refusals: PingMode['refusals'] = []
  for (const way of ways) {
    const reason = await way.refusal(family)
    if (reason === null) return { way, refusals }
    refusals.push({ mode: way.mode, reason })
  }
  return { way: null, refusals }
}

function socketWay(mode: PingSocketType, reasons: Record<string, string>): PingWay {
  return {
    mode,
    async refusal(family) {
      try {
        const socket = await openPingSocket(mode, family, null, () => {})
        socket.close()
        return null
      } catch (error) {
        const { code = '', message } = error as NodeJS.ErrnoException
        return reasons[code] ? `${reasons[code]} (${code})` : message
      }
    },
    ping: (plan, context) => echo(mode, plan, context),
  }
}

/** Starting a process to ask costs milliseconds: a yes is remembered, a no is not. */
function onceGranted(ask: PingWay['refusal']): PingWay['refusal'] {
  const granted = new Set<EchoFamily>()
  return async (family) => {
    if (granted.has(family)) return null
    const reason = await ask(family)
    if (reason === null) granted.add(family)
    return reason
  }
}
