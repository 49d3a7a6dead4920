import { z } from 'zod'
import { networks, whole } from './fields.ts'

/** Settings that the built-in agent gets under the same name (packages/agent/src/config.ts), except AGENT. */
export const agentSettings = {
  AGENT: z
    .enum(['on', 'off'])
    .default('on')
    .describe('The built-in agent, which serves the data-center locations that no other agent serves'),
  AGENT_LOCATIONS: z
    .string()
    .regex(/^[a-z0-9-]+(\s*,\s*[a-z0-9-]+)*$/, 'must be locations, separated by commas')
    .optional()
    .describe('Built-in agent: the only locations it serves, such as eu-west-1,us-east-1'),
  AGENT_NETWORK: z
    .enum(['private', 'public'])
    .default('private')
    .describe(
      'Built-in agent: public refuses private, loopback and CGNAT targets. Required with several accounts',
    ),
  AGENT_ALLOW_NETWORKS: networks.describe(
    'Built-in agent: networks that it may reach nevertheless, such as 10.1.0.0/16,fd00::/8',
  ),
  AGENT_DENY_NETWORKS: networks.describe('Built-in agent: further networks that it must not reach'),
  AGENT_HEALTH_PORT: whole(0, 65_535)
    .default(8081)
    .describe('Built-in agent: port of its health endpoints; if it is in use, there are none'),
  AGENT_NAME: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Built-in agent: its name in results and alerts; without it the host name'),
  AGENT_SANDBOX: z
    .enum(['auto', 'require', 'fallback'])
    .default('auto')
    .describe(
      'Built-in agent: auto isolates user code by bubblewrap or does not run it; require: also with a user of its own, as root; fallback: with limits only where bubblewrap does not work, for code that you trust',
    ),
  AGENT_LIMITS: z
    .enum(['auto', 'require'])
    .default('auto')
    .describe(
      'Built-in agent: auto lets the kernel limit memory, processes and CPU of each run of user code where the agent has a cgroup v2 of its own; require: otherwise code is not run',
    ),
  USE_OS_DNS_RESOLVER: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      "Built-in agent: true resolves names of targets by the operating system, not by the agent's own queries",
    ),
  BODY_MEMORY_MB: whole(26, 1_000_000)
    .default(256)
    .describe('Built-in agent: memory for response bodies beyond 256 kB each'),
  SUITE_CACHE_MB: whole(0, 10_000_000)
    .default(5_000)
    .describe('Built-in agent: disk for installed packages of Playwright suites; 0: every run installs'),
  JOB_CONCURRENCY: whole(1, 1000)
    .optional()
    .describe('Built-in agent: concurrent code runs; default: one per processor core'),
  NETWORK_CONCURRENCY: whole(1, 10_000)
    .default(500)
    .describe('Built-in agent: concurrent runs of network checks'),
  AGENT_RUNTIMES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Built-in agent: directory of the runtimes for scripts; default: in DATA_DIR'),
  AGENT_RUNTIMES: z
    .string()
    .optional()
    .describe(
      'Built-in agent: runtimes to install at its start, separated by commas (2026.04); others follow when a check needs them. none: no runtime',
    ),
  AGENT_BROWSER_INSTALLER: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Built-in agent: JavaScript program that installs a browser when the first check needs one; npm start names its own',
    ),
  CHROMIUM_PATH: z
    .string()
    .min(1)
    .optional()
    .describe("Built-in agent: Chromium to use instead of Playwright's download or that of the system"),
  PLAYWRIGHT_BROWSERS_PATH: z
    .string()
    .min(1)
    .optional()
    .describe("Built-in agent: directory of Playwright's browser downloads"),
} satisfies Record<string, z.ZodType>
