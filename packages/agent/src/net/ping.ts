// The agent's methods to ping, in this order: a ping socket (needs a sysctl), a raw socket (needs CAP_NET_RAW), the system's
// ping command. Every run chooses again, so that changed permissions take effect at once.
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { type CFamily, familyOf } from './c-socket.ts'
import { echo, type PingOutcome, type PingRequest } from './echo.ts'
import { commandRefusal, pingByCommand } from './ping-command.ts'
import { type PingSocketType, tryPingSocket } from './ping-socket.ts'
import type { ProbeContext } from './probes.ts'

export type PingModeName = PingSocketType | 'ping-command'

interface PingMethod {
  mode: PingModeName
  /** Why it doesn't work here; null: it works. */
  refusal(family: CFamily): Promise<string | null>
  ping(request: PingRequest, context: ProbeContext): Promise<PingOutcome>
}

export const pingMethods: readonly PingMethod[] = [
  socketMethod('ping-socket', {
    EACCES: "net.ipv4.ping_group_range doesn't include the group of this process",
  }),
  socketMethod('raw-socket', { EPERM: 'this process lacks CAP_NET_RAW' }),
  { mode: 'ping-command', refusal: rememberGrant(commandRefusal), ping: pingByCommand },
]

export const pingHint =
  'allow ICMP to this agent: sysctl -w net.ipv4.ping_group_range="0 2147483647" on its host, ' +
  'or the capability NET_RAW (Docker: --cap-add NET_RAW)'

/** The method that pings use here, for the agent's health. */
export async function pingMode(family: CFamily = 4, methods = pingMethods) {
  const { method, refusals } = await findMethod(family, methods)
  /** `refusals`: the methods that were tried before, and why they don't work. `hint`: what to set if none works. */
  return { mode: method?.mode ?? null, refusals, hint: method ? null : pingHint }
}

export async function ping(
  request: PingRequest,
  context: ProbeContext,
  methods = pingMethods,
): Promise<PingOutcome & { mode: PingModeName | null }> {
  const { method, refusals } = await findMethod(familyOf(request.address), methods)
  if (method) return { ...(await method.ping(request, context)), mode: method.mode }
  const reasons = refusals.map(({ mode, reason }) => `${mode}: ${reason}`).join('; ')
  const message = `This agent can't ping (${reasons}). To fix it, ${pingHint}.`
  return {
    results: [],
    failure: { kind: 'internal', message, phase: 'setup', code: 'PING_NOT_PERMITTED' },
    mode: null,
  }
}

async function findMethod(family: CFamily, methods: readonly PingMethod[]) {
  const refusals: { mode: PingModeName; reason: string }[] = []
  for (const method of methods) {
    const reason = await method.refusal(family)
    if (reason === null) return { method, refusals }
    refusals.push({ mode: method.mode, reason })
  }
  return { method: null, refusals }
}

function socketMethod(mode: PingSocketType, reasons: Record<string, string>): PingMethod {
  return {
    mode,
    async refusal(family) {
      try {
        await tryPingSocket(mode, family)
        return null
      } catch (error) {
        const code = errorCode(error) ?? ''
        return reasons[code] ? `${reasons[code]} (${code})` : errorMessage(error)
      }
    },
    ping: (request, context) => echo(mode, request, context),
  }
}

/** A test starts a process, which takes milliseconds, so a success is remembered. */
function rememberGrant(test: PingMethod['refusal']): PingMethod['refusal'] {
  const granted = new Set<CFamily>()
  return async (family) => {
    if (granted.has(family)) return null
    const reason = await test(family)
    if (reason === null) granted.add(family)
    return reason
  }
}
