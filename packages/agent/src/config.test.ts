import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ConfigError, environmentExample, npmEnvironment, readConfig, readRuntimesDir } from './config.ts'

const needed = { API_KEY: 'pl_x', SERVER_URL: 'http://127.0.0.1:3000' }

describe('readConfig', () => {
  it('needs a key and a server, and has a default for everything else', () => {
    expect(readConfig(needed)).toMatchObject({
      NETWORK_CONCURRENCY: 500,
      BODY_MEMORY_MB: 256,
      LOG_LEVEL: 'INFO',
      AGENT_NETWORK: 'private',
      AGENT_SANDBOX: 'auto',
      AGENT_LIMITS: 'auto',
      EXTERNAL_OBSERVABILITY: 'on',
      AGENT_LOCATIONS: [],
    })
    expect(isAbsolute(readConfig(needed).AGENT_DATA_DIR)).toBe(true)
    expect(() => readConfig({})).toThrow(/API_KEY: is missing[\s\S]*SERVER_URL: is missing/)
  })

  it('takes a list of servers, of locations and of networks', () => {
    const config = readConfig({
      ...needed,
      SERVER_URL: 'https://a.test/, https://b.test/vedette/',
      AGENT_LOCATIONS: 'eu-west-1, us-east-1,',
      AGENT_DENY_NETWORKS: '10.0.0.0/8,fd00::/8',
    })
    expect(config.SERVER_URL).toEqual(['https://a.test', 'https://b.test/vedette'])
    expect(config.AGENT_LOCATIONS).toEqual(['eu-west-1', 'us-east-1'])
    expect(config.AGENT_DENY_NETWORKS).toEqual(['10.0.0.0/8', 'fd00::/8'])
  })

  it('reads words in any case', () => {
    const words = {
      LOG_LEVEL: 'debug',
      EXTERNAL_OBSERVABILITY: 'OFF',
      AGENT_NETWORK: 'Public',
      AGENT_SANDBOX: 'Require',
      AGENT_LIMITS: 'REQUIRE',
    }
    expect(readConfig({ ...needed, ...words })).toMatchObject({
      LOG_LEVEL: 'DEBUG',
      EXTERNAL_OBSERVABILITY: 'off',
      AGENT_NETWORK: 'public',
      AGENT_SANDBOX: 'require',
      AGENT_LIMITS: 'require',
    })
  })

  it('reads proxies in upper and lower case', () => {
    const lower = { https_proxy: 'http://proxy.test:3128', no_proxy: 'localhost' }
    expect(readConfig({ ...needed, ...lower })).toMatchObject({
      HTTPS_PROXY: 'http://proxy.test:3128',
      NO_PROXY: 'localhost',
    })
  })

  it('names every wrong setting, and no secret', () => {
    const wrong = {
      API_KEY: 'pl_hunter2',
      SERVER_URL: 'ftp://a.test',
      LOG_LEVEL: 'loud',
      AGENT_DENY_NETWORKS: '10.0.0.0/99',
      HTTPS_PROXY: 'socks://user:hunter2@proxy.test',
      JOB_CONCURRENCY: '0',
    }
    expect(() => readConfig(wrong)).toThrow(ConfigError)
    for (const name of ['SERVER_URL', 'LOG_LEVEL', 'AGENT_DENY_NETWORKS', 'HTTPS_PROXY', 'JOB_CONCURRENCY']) {
      expect(() => readConfig(wrong)).toThrow(new RegExp(`${name}: must be`))
    }
    expect(() => readConfig(wrong)).not.toThrow(/hunter2/)
  })

  it('reads the key from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vedette-agent-config-'))
    try {
      writeFileSync(join(folder, 'key'), 'pl_from_a_file\n')
      const { SERVER_URL } = needed
      expect(readConfig({ SERVER_URL, API_KEY_FILE: join(folder, 'key') }).API_KEY).toBe('pl_from_a_file')
      expect(() => readConfig({ SERVER_URL, API_KEY_FILE: join(folder, 'gone') })).toThrow(
        /API_KEY_FILE: can't/,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('environmentExample', () => {
  it('lists every setting with its default', () => {
    expect(environmentExample()).toMatch(/#NETWORK_CONCURRENCY=500\n/)
    expect(environmentExample()).toContain('API_KEY_FILE')
    // The same on every machine: it is generated and compared.
    expect(environmentExample()).toMatch(/#JOB_CONCURRENCY=\n/)
  })
})

describe('the directory of runtimes', () => {
  it('is the one of the checkout, unless another is set', () => {
    const shared = fileURLToPath(new URL('../../../node_modules/.vedette-runtimes', import.meta.url))
    expect(readConfig({ ...needed, AGENT_DATA_DIR: '/srv/agent' }).AGENT_RUNTIMES_DIR).toBe(shared)
    expect(readRuntimesDir({ DATA_DIR: '/srv/data' })).toBe(shared)
    const set = { AGENT_RUNTIMES_DIR: '/srv/runtimes' }
    expect(readConfig({ ...needed, ...set }).AGENT_RUNTIMES_DIR).toBe('/srv/runtimes')
    expect(readRuntimesDir(set)).toBe('/srv/runtimes')
  })

  it('gets no runtime before a check needs one, unless they are named', () => {
    expect(readConfig(needed).AGENT_RUNTIMES).toEqual([])
    const names = (AGENT_RUNTIMES: string) => readConfig({ ...needed, AGENT_RUNTIMES }).AGENT_RUNTIMES
    expect(names('2026.04, 2025.04')).toEqual(['2026.04', '2025.04'])
    expect(names('none')).toEqual(['none'])
    expect(() => names('2026.4')).toThrow(/AGENT_RUNTIMES\.0: must be one of 2026\.04, 2025\.04/)
  })
})

describe('npmEnvironment', () => {
  it("contains the machine's settings and nothing of the agent", () => {
    const own = { PATH: '/bin', HOME: '/h', NPM_CONFIG_REGISTRY: 'http://npm.test', no_proxy: 'a' }
    const others = { API_KEY: 'pl_x', MODEL_API_KEY: 'm', NODE_OPTIONS: '--inspect', AGENT_DATA_DIR: '/srv' }
    expect(npmEnvironment({ ...own, ...others })).toEqual(own)
  })
})
