import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { RunProgram } from '../command.ts'

const usage = `Usage: vedette agent [--uptime]

Starts an agent, which runs checks at a location. It calls its server and is never called.
  --uptime  only monitors that run no code: URL, TCP, DNS, ICMP, SSL, gRPC and traceroute

It is set up by environment variables, among them:
  API_KEY              key of the private location (or API_KEY_FILE)
  SERVER_URL           address of the server; several with commas between
  AGENT_DATA_DIR       folder where results wait for the server (./agent-data); one agent per folder
  AGENT_HEALTH_PORT    port of /-/readiness, /-/liveness and /health (8081)
  JOB_CONCURRENCY      runs of code at once (one per processor core)
  NETWORK_CONCURRENCY  runs of network checks at once (500)
  AGENT_NETWORK        public: refuses targets in private networks
  HTTPS_PROXY          proxy for talking to the server
  LOG_LEVEL            DEBUG, INFO, WARN or ERROR`

/**
 * Settings that Node and the C library read at their start: threads for disk access (DNS doesn't need any), and a limit of
 * the memory for short-lived objects. 100 concurrent runs fill 4 MB, and
 * each collection copies them: with 16 MB a plain check takes 8 % more CPU. An agent with few runs doesn't use the 32 MB.
 */
const defaults = {
  UV_THREADPOOL_SIZE: '16',
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: '--max-semi-space-size=32 --disable-warning=ExperimentalWarning',
}

export function agent(argv: string[], runProgram: RunProgram): Promise<number> | number {
  let values: { help?: boolean; uptime?: boolean }
  try {
    const options = { help: { type: 'boolean', short: 'h' }, uptime: { type: 'boolean' } } as const
    values = parseArgs({ args: argv.slice(1), options }).values
  } catch (error) {
    console.error(`vedette agent: ${error instanceof Error ? error.message : error}\n\n${usage}`)
    return 2
  }
  if (values.help) {
    console.log(usage)
    return 0
  }
  const program = values.uptime
    ? import.meta.resolve('@vedette/agent/main-uptime')
    : import.meta.resolve('@vedette/agent/main')
  return runProgram(fileURLToPath(program), [], defaults)
}
