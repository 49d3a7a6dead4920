import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, environmentExample, readConfig } from './config.ts'

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({ PORT: 3000, LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: 600 })
  })

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000 })
  })

  it('names every wrong setting, and no secret', () => {
    const wrong = { PORT: '99999', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://root:hunter2@db' }
    expect(() => readConfig(wrong)).toThrow(ConfigError)
    expect(() => readConfig(wrong)).toThrow(/PORT[\s\S]*DATABASE_URL[\s\S]*LOG_LEVEL/)
    expect(() => readConfig(wrong)).not.toThrow(/hunter2/)
  })

  it.each(['AGENT_ALLOW_NETWORKS', 'AGENT_DENY_NETWORKS', 'CHANNEL_ALLOW_NETWORKS', 'CHANNEL_DENY_NETWORKS'])(
    'accepts only networks in %s',
    (name) => {
      expect(readConfig({ [name]: '10.1.0.0/16, fd00::/8,192.0.2.7' })).toMatchObject({
        [name]: '10.1.0.0/16, fd00::/8,192.0.2.7',
      })
      expect(() => readConfig({ [name]: '10.1.0.0/16,10.0.0.0/33' })).toThrow(`${name}: must be networks`)
      expect(() => readConfig({ [name]: 'internal.example' })).toThrow(`${name}: must be networks`)
    },
  )

  it('needs a way around PgBouncer', () => {
    const DATABASE_URL = 'postgres://u:p@a,b/vedette'
    expect(readConfig({ DATABASE_URL })).toMatchObject({ DATABASE_URL, DATABASE_POOLING: 'session' })
    const pooled = { DATABASE_URL, DATABASE_POOLING: 'transaction' }
    expect(() => readConfig(pooled)).toThrow(
      'DATABASE_DIRECT_URL: is required with DATABASE_POOLING=transaction',
    )
    expect(readConfig({ ...pooled, DATABASE_DIRECT_URL: DATABASE_URL })).toMatchObject(pooled)
    expect(() => readConfig({ DATABASE_DIRECT_URL: DATABASE_URL })).toThrow(
      'DATABASE_URL: is required with DATABASE_DIRECT_URL',
    )
  })

  it('refuses a host of files that shares cookies with the app', () => {
    const wrong = 'ASSETS_URL: must have another host name than PUBLIC_URL'
    expect(() => readConfig({ ASSETS_URL: 'http://localhost:4000' })).toThrow(wrong)
    const PUBLIC_URL = 'https://vedette.example.com/app'
    expect(() => readConfig({ PUBLIC_URL, ASSETS_URL: 'https://vedette.example.com:8443' })).toThrow(wrong)
    const ASSETS_URL = 'https://files.example.com'
    expect(readConfig({ PUBLIC_URL, ASSETS_URL: `${ASSETS_URL}/` }).ASSETS_URL).toBe(ASSETS_URL)
  })

  const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'vedette', OIDC_CLIENT_SECRET: 'x' }
  it.each([
    [{ OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER: must begin with https'],
    [{ OIDC_ISSUER: 'http://localhost.evil.example' }, 'OIDC_ISSUER: must begin with https'],
    [{ OIDC_CLIENT_SECRET: '' }, 'OIDC_CLIENT_SECRET: is required with OIDC_ISSUER'],
    [{ OIDC_SCOPES: 'email' }, 'OIDC_SCOPES: must contain openid'],
    [{ OIDC_ROLES: 'admins=OWNER' }, 'OIDC_ROLES: must be group=ROLE'],
    [{ OIDC_ROLES: 'admins' }, 'OIDC_ROLES: must be group=ROLE'],
    [{ OIDC_ALLOWED_DOMAINS: '@corp.example' }, 'OIDC_ALLOWED_DOMAINS: must be domains'],
  ])('refuses %j of an identity provider', (wrong, message) => {
    expect(() => readConfig({ ...oidc, ...wrong })).toThrow(message)
    expect(readConfig({ ...oidc, OIDC_ISSUER: 'http://127.0.0.1:8080' }).OIDC_LABEL).toBe('single sign-on')
  })

  it('reads secrets from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vedette-config-'))
    try {
      writeFileSync(join(folder, 'key'), 'a key from a file, long enough\n')
      expect(readConfig({ SECRET_KEY_FILE: join(folder, 'key') }).SECRET_KEY).toBe(
        'a key from a file, long enough',
      )
      expect(() => readConfig({ SECRET_KEY_FILE: join(folder, 'gone') })).toThrow(
        /SECRET_KEY_FILE: can't be read/,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('can’t be changed afterwards', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})

describe('environmentExample', () => {
  it('lists every setting with its default', () => {
    expect(environmentExample()).toMatch(/# Port of the API\n#PORT=3000\n/)
    expect(environmentExample()).toContain('SECRET_KEY_FILE')
  })
})
