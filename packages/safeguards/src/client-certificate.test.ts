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
  ['api.example.com', ['{www,api}.example.com'], '{www,api}.example.com'],
  ['api.example.com', ['{www,app}.example.com'], null],
  ['api.example.test', ['{www,api}.example.{com,test}'], '{www,api}.example.{com,test}'],
  ['api2.example.com', ['api[0-9].example.com'], 'api[0-9].example.com'],
  ['apix.example.com', ['api[0-9].example.com'], null],
  ['apix.example.com', ['api[!0-9].example.com'], 'api[!0-9].example.com'],
  ['api.example.com', ['{api.example.com'], null],
  ['api.example.com', ['[.example.com'], null],
  ['x', ['{a,b}'.repeat(40)], null],
  ['example.com', [], null],
  [`${'a'.repeat(250)}b`, [`${'*a'.repeat(200)}*c`], null],
])('%s is shown one of %j: %j', (host, hosts, expected) => {
  expect(certificateFor(host, hosts.map(certificate))?.host ?? null).toBe(expected)
})
