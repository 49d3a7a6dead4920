import { expect, it } from 'vitest'
import { type ClientCertificate, certificateFor } from './client-certificate.ts'

const certificate = (host: string): ClientCertificate => ({
  host,
  cert: '',
  key: '',
  ca: null,
  passphrase: null,
})

it.each([
  ['api.example.com', ['api.example.com'], 'api.example.com'],
  ['API.example.com', ['api.EXAMPLE.com'], 'api.EXAMPLE.com'],
  ['api.example.com', ['*.example.com', 'api.example.com'], 'api.example.com'],
  ['api.example.com', ['*.example.com', 'a*.example.com'], '*.example.com'],
  ['api.example.com', ['ap?.example.com'], 'ap?.example.com'],
  ['a.b.example.com', ['*.example.com'], '*.example.com'],
  ['example.com', ['*.example.com'], null],
  ['example.com.evil.test', ['*example.com'], null],
  ['example.com', ['**'], '**'],
  ['example.com', [], null],
  [`${'a'.repeat(250)}b`, [`${'*a'.repeat(200)}*c`], null],
])('%s is shown one of %j: %j', (host, hosts, expected) => {
  expect(certificateFor(host, hosts.map(certificate))?.host ?? null).toBe(expected)
})
