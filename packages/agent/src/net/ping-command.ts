// Pings with the system's command, which may have permissions that this process lacks.
import { execFile } from 'node:child_process'
import { isIPv6 } from 'node:net'
import type { PingOutcome, PingRequest, PingResult } from './echo.ts'
import { failureOfAbort } from './failure.ts'
import { echoTypes } from './icmp-packet.ts'
import type { ProbeContext } from './probes.ts'

export async function pingByCommand(request: PingRequest, { signal }: ProbeContext): Promise<PingOutcome> {
  const { address } = request
  if (signal.aborted) return { results: [], failure: failureOfAbort(signal, 'connect', address) }
  const { stdout, stderr, code } = await execute(request, signal)
  const results = parsePingOutput(stdout, request, process.platform)
  if (signal.aborted) return { results, failure: failureOfAbort(signal, 'wait', address) }
  // 0: there were replies. 1: there were none. Other codes are errors of the command.
  if (code === 0 || code === 1) return { results, failure: null }
  const message = `ping: ${firstLine(stderr) || `ended with ${code}`}`
  const isUnreachable = /unreachable/i.test(message)
  const kind = isUnreachable ? 'connect' : 'internal'
  return {
    results: [],
    failure: {
      kind,
      message,
      phase: 'connect',
      address,
      code: isUnreachable ? 'ENETUNREACH' : 'PING_COMMAND',
    },
  }
}

/** Why the command doesn't work here; null: it works. */
export async function commandRefusal(family: 4 | 6): Promise<string | null> {
  const address = family === 4 ? '127.0.0.1' : '::1'
  const request = { address, count: 1, intervalMs: 1000, timeoutMs: 1000 }
  const { code, stderr } = await execute(request, AbortSignal.timeout(5_000))
  if (code === 0) return null
  if (code === 'ENOENT') return 'there is no ping command'
  return firstLine(stderr) || `it ended with ${code}`
}

// English output, and none of the agent's secrets.
const env = { LC_ALL: 'C', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

function execute(
  { address, count, intervalMs, timeoutMs }: PingRequest,
  signal: AbortSignal,
): Promise<{ stdout: string; stderr: string; code: number | string }> {
  const isMac = process.platform === 'darwin'
  const command = isMac && isIPv6(address) ? 'ping6' : 'ping'
  const wait = isMac ? ['-W', `${timeoutMs}`] : ['-W', `${Math.max(1, Math.ceil(timeoutMs / 1000))}`]
  const pace = ['-c', `${count}`, '-i', `${intervalMs / 1000}`, '-s', '56']
  const args = [...pace, ...(command === 'ping' ? wait : []), address]
  return new Promise((settle) => {
    execFile(command, args, { env, signal, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      settle({ stdout, stderr, code: error ? (error.code ?? 'killed') : 0 }),
    )
  })
}

const replyLine = /bytes from .*?\b(icmp_)?seq=(\d+) (?:ttl|hlim)=(\d+)(?: time[=<]([\d.]+) ?ms)?/
const errorLine = /^From .*?\b(?:icmp_)?seq=(\d+) (.+)$/

/** iputils counts from 1; BusyBox, inetutils and BSD, whose first line has a colon, from 0. */
export function parsePingOutput(
  output: string,
  { address, count }: Pick<PingRequest, 'address' | 'count'>,
  platform: NodeJS.Platform,
): PingResult[] {
  const results = Array.from({ length: count }, (_, sequence): PingResult => {
    return { sequence, type: null, code: null, success: false, rtt: null, ttl: null }
  })
  const first = platform === 'linux' && !/^PING .*\): \d+ data bytes/.test(output) ? 1 : 0
  const type = echoTypes[isIPv6(address) ? 6 : 4].reply
  for (const line of output.split('\n')) {
    const [, , reply, ttl, time] = replyLine.exec(line) ?? []
    const [, failed, error] = errorLine.exec(line) ?? []
    const result = results[Number(reply ?? failed) - first]
    if (!result || result.success) continue
    if (reply === undefined) result.error = errorCode(`${error}`)
    else Object.assign(result, { type, code: 0, success: true, rtt: Number(time ?? 0), ttl: Number(ttl) })
  }
  return results
}

function errorCode(text: string): string {
  if (/net(work)? .*unreachable|no route/i.test(text)) return 'ENETUNREACH'
  if (/port unreachable/i.test(text)) return 'ECONNREFUSED'
  return /unreachable|exceeded/i.test(text) ? 'EHOSTUNREACH' : text.trim()
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}
