import { expect, it } from 'vitest'
import { locationAsConstruct, locationAsCurl } from './location-code.ts'

const office = { name: 'Office', slugName: 'office', icon: 'location', proxyUrl: null }
const server = { origin: 'http://localhost:3000', accountId: 'a' }

it('is a construct with what was set', () => {
  expect(locationAsConstruct(office)).toBe(`import { PrivateLocation } from 'checkly/constructs'

new PrivateLocation('office', {
  name: 'Office',
  slugName: 'office',
})
`)
})

it('is a request', () => {
  const text = locationAsCurl({ ...office, proxyUrl: 'http://proxy:3128' }, server)
  expect(text).toContain("curl --request POST 'http://localhost:3000/v1/private-locations'")
  expect(text).toContain('"proxyUrl": "http://proxy:3128"')
})

it('has no password of the proxy', () => {
  const secretive = { ...office, proxyUrl: 'http://ann:hidden@proxy:3128' }
  for (const text of [locationAsConstruct(secretive), locationAsCurl(secretive, server)]) {
    expect(text).not.toContain('hidden')
    expect(text).toContain('PROXY_URL')
  }
})
