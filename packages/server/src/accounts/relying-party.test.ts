import { expect, it } from 'vitest'
import { relyingPartyOf } from './relying-party.ts'

it.each([
  ['https://vedette.example', { id: 'vedette.example', origin: 'https://vedette.example' }],
  ['https://vedette.example:8443/base', { id: 'vedette.example', origin: 'https://vedette.example:8443' }],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://a.localhost', { id: 'a.localhost', origin: 'http://a.localhost' }],
  ['http://vedette.example', expect.stringContaining('https')],
  ['http://localhost.example', expect.stringContaining('https')],
  ['http://127.0.0.1:3000', expect.stringContaining('IP address')],
  ['https://192.0.2.1', expect.stringContaining('IP address')],
  ['https://[::1]:3000', expect.stringContaining('IP address')],
])('%s', (url, expected) => {
  expect(relyingPartyOf(url)).toEqual(expected)
})
