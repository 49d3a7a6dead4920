import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError } from '../config.ts'
import { readStaticIps } from './static-ips.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'static-ips-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileWith(text: string): string {
  const path = join(folder, 'ips.json')
  writeFileSync(path, text)
  return path
}

describe('readStaticIps', () => {
  it('returns empty lists when no file is configured', () => {
    expect(readStaticIps(undefined)).toEqual({ ipv4: {}, ipv6: {} })
  })

  it('reads addresses and ranges by region', () => {
    const ips = {
      ipv4: { 'eu-west-1': ['192.0.2.1', '198.51.100.0/24'] },
      ipv6: { 'eu-west-1': ['2001:db8::/32'] },
    }
    expect(readStaticIps(fileWith(JSON.stringify(ips)))).toEqual(ips)
  })

  it('names every wrong address', () => {
    const path = fileWith(
      JSON.stringify({ ipv4: { bern: ['192.0.2.1', 'nonsense', '2001:db8::1'] }, ipv6: 5 }),
    )
    expect(() => readStaticIps(path)).toThrow(ConfigError)
    expect(() => readStaticIps(path)).toThrow(/ipv4\.bern\.1: [\s\S]*ipv4\.bern\.2: [\s\S]*ipv6: /)
  })

  it("reports a file that isn't JSON or can't be read", () => {
    expect(() => readStaticIps(fileWith('{'))).toThrow(/isn't JSON/)
    expect(() => readStaticIps(join(folder, 'absent.json'))).toThrow(/can't be read/)
  })
})
