import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, test, vi } from 'vitest'
import { npmEnvironment } from '../../config.ts'
import { installPolicy, readRegistry, registryEnvironment, registryFiles } from './registry.ts'

const signal = new AbortController().signal
const policy = networkPolicy({ mode: 'public' })
const lookup = async (_name: string, family: string) =>
  family === 'IPv4' ? ['10.1.2.3', '169.254.169.254'] : []

describe('an install', () => {
  test('reaches the registry in a refused network, and nothing else there', async () => {
    const registry = { url: 'https://npm.corp.example/', authorities: null }
    const opened = await installPolicy(policy, registry, signal, lookup)
    expect(policy.refusalOf('10.1.2.3')).toBe('a private address')
    expect(opened.refusalOf('10.1.2.3')).toBeNull()
    expect(opened.refusalOf('10.1.2.3', 443)).toBeNull()
    expect(opened.refusalOf('10.1.2.3', 22)).toBe('a private address')
    expect(opened.refusalOf('10.1.2.4')).toBe('a private address')
    expect(opened.refusalOf('127.0.0.1')).toBe('a loopback address')
    expect(opened.refusalOf('169.254.169.254')).toBe('a link-local address')
    const usual = await installPolicy(policy, { url: null, authorities: null }, signal, lookup)
    expect(usual.refusalOf('10.1.2.3')).toBe('a private address')
  })

  test('takes no setting from a directory that other users write to, and leaves nothing there', async () => {
    const usual = await readRegistry(npmEnvironment())
    const shared = mkdtempSync(join(tmpdir(), 'vedette-shared-'))
    writeFileSync(join(shared, 'key'), 'the key of the agent')
    writeFileSync(join(shared, 'package.json'), '{}')
    writeFileSync(join(shared, '.npmrc'), `registry=http://evil.test/\ncafile=${shared}/key\n`)
    vi.stubEnv('TMPDIR', shared)
    try {
      expect(await readRegistry(npmEnvironment())).toEqual(usual)
      expect(readdirSync(shared).sort()).toEqual(['.npmrc', 'key', 'package.json'])
    } finally {
      vi.unstubAllEnvs()
      rmSync(shared, { recursive: true })
    }
  })

  test('finds the registry in files that a suite can override', () => {
    const files = registryFiles({ url: 'http://10.1.2.3:4873/', authorities: 'PEM' })
    const text = Object.fromEntries(files.map((file) => [file.name, file.text]))
    expect(text['.npmrc']).toBe('registry=http://10.1.2.3:4873/\n')
    expect(text['.yarnrc.yml']).toContain('unsafeHttpWhitelist: ["10.1.2.3"]')
    expect(text['registry-authorities.pem']).toBe('PEM\n')
    expect(registryEnvironment({ url: null, authorities: 'PEM' }, '/home')).toEqual({
      NODE_EXTRA_CA_CERTS: '/home/registry-authorities.pem',
    })
    expect(registryFiles({ url: null, authorities: null })).toEqual([])
  })
})
