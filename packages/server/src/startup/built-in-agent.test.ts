import { describe, expect, it } from 'vitest'
import { agentSettings } from '../config/agent-settings.ts'
import { readConfig } from '../config.ts'
import { agentEnvironment } from './built-in-agent.ts'

const values: Record<string, string> = {
  AGENT_LOCATIONS: 'eu-west-1',
  AGENT_NETWORK: 'public',
  AGENT_ALLOW_NETWORKS: '10.1.0.0/16',
  AGENT_DENY_NETWORKS: '10.2.0.0/16',
  AGENT_HEALTH_PORT: '9000',
  AGENT_NAME: 'one',
  AGENT_SANDBOX: 'require',
  AGENT_LIMITS: 'require',
  USE_OS_DNS_RESOLVER: 'true',
  BODY_MEMORY_MB: '300',
  SUITE_CACHE_MB: '0',
  JOB_CONCURRENCY: '3',
  NETWORK_CONCURRENCY: '7',
  AGENT_RUNTIMES_DIR: '/runtimes',
  AGENT_RUNTIMES: 'none',
  AGENT_BROWSER_INSTALLER: '/install.mjs',
  CHROMIUM_PATH: '/chromium',
  PLAYWRIGHT_BROWSERS_PATH: '/browsers',
}

describe('the environment of the built-in agent', () => {
  it('has every agent setting of the server', () => {
    expect(Object.keys(values).sort()).toEqual(
      Object.keys(agentSettings)
        .filter((name) => name !== 'AGENT')
        .sort(),
    )
    expect(agentEnvironment(readConfig(values), 3000)).toMatchObject(values)
  })

  it('has no secret of the server', () => {
    const secrets = { SECRET_KEY: 'a secret key for tests', DATABASE_URL: 'postgres://u:p@db.test/vedette' }
    const environment = agentEnvironment(readConfig({ ...values, ...secrets }), 3000)
    expect(Object.keys(environment)).not.toContain('SECRET_KEY')
    expect(JSON.stringify(environment)).not.toContain('db.test')
  })
})
