import { expect, it } from 'vitest'
import { locationAsCurl } from './location-code.ts'

const office = { name: 'Office', slugName: 'office', icon: 'location', proxyUrl: null }
const server = { origin: 'http://localhost:3000', accountId: 'a' }

it('is a request', () => {
  const text = locationAsCurl({ ...office, proxyUrl: 'http://proxy:3128' }, server)
  expect(text).toContain("curl --request POST 'http://localhost:3000/v1/private-locations'")
  expect(text).toContain('"proxyUrl": "http://proxy:3128"')
})

it('has no password of the proxy', () => {
  const secretive = { ...office, proxyUrl: 'http://ann:hidden@proxy:3128' }
  const text = locationAsCurl(secretive, server)
  expect(text).not.toContain('hidden')
  expect(text).toContain('PROXY_URL')
})
