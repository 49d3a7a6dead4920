import { expect, it } from 'vitest'
import { checkNameOf, urlOf } from './first-url.ts'

it.each([
  ['example.com', 'https://example.com'],
  [' http://example.com/a?b=1 ', 'http://example.com/a?b=1'],
  ['localhost:3000', 'https://localhost:3000'],
  ['ftp://example.com', null],
  ['example', null],
  ['two words.com', null],
  ['', null],
])('%j becomes %j', (text, url) => expect(urlOf(text)).toBe(url))

it('names a check after its address', () => {
  expect(checkNameOf('https://example.com/')).toBe('example.com')
  expect(checkNameOf('https://example.com:8443/orders?x=1')).toBe('example.com:8443/orders')
})
