import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { clientAddressOf } from './client-address.ts'

function requestFrom(address: string, forwardedFor: string): IncomingMessage {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: address })
  const request = new IncomingMessage(socket)
  request.headers['x-forwarded-for'] = forwardedFor
  return request
}

it.each([
  [undefined, '10.0.0.1'],
  ['false', '10.0.0.1'],
  ['true', '203.0.113.1'],
  ['1', '203.0.113.2'],
  ['10.0.0.0/8, 192.168.0.0/16', '203.0.113.2'],
])('TRUST_PROXY=%s', (setting, expected) => {
  const request = requestFrom('10.0.0.1', '203.0.113.1, 203.0.113.2')
  expect(clientAddressOf(setting)(request)).toBe(expected)
})
