// The resources of an agent process during a measurement: memory, CPU time, undelivered results.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'

export interface AgentUsage {
  peakRssBytes: number
  /** Processor cores, on average. */
  cpu: number
  maxUndelivered: number
  maxInFlight: number
  /** The highest one-minute load of the machine. */
  maxLoad: number
}

const sampleMs = 1_000
/** USER_HZ, which Linux reports to programs on every common architecture. */
const ticksPerSecond = 100

export function watchAgent(pid: number, healthPort: number): { stop(): Promise<AgentUsage> } {
  const usage: AgentUsage = { peakRssBytes: 0, cpu: 0, maxUndelivered: 0, maxInFlight: 0, maxLoad: 0 }
  const began = { at: performance.now(), cpuSeconds: cpuSeconds(pid) }
  const sample = async () => {
    usage.peakRssBytes = Math.max(usage.peakRssBytes, rssBytes(pid))
    usage.maxLoad = Math.max(usage.maxLoad, loadavg()[0] ?? 0)
    const response = await fetch(`http://127.0.0.1:${healthPort}/health`)
    const { inFlight, undelivered } = (await response.json()) as { inFlight: number; undelivered: number }
    usage.maxUndelivered = Math.max(usage.maxUndelivered, undelivered)
    usage.maxInFlight = Math.max(usage.maxInFlight, inFlight)
  }
  // If the agent is too busy for its health endpoint, the drill reports that and continues.
  const timer = setInterval(() => sample().catch(() => undefined), sampleMs)
  return {
    async stop() {
      clearInterval(timer)
      await sample().catch(() => undefined)
      usage.cpu = (cpuSeconds(pid) - began.cpuSeconds) / ((performance.now() - began.at) / 1000)
      return usage
    },
  }
}

function rssBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
