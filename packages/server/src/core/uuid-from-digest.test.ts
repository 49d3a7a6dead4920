import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { uuidFromDigest } from './uuid-from-digest.ts'

it.each([5, 7, 8] as const)('sets version %i and the variant, and keeps the other bits', (version) => {
  expect(uuidFromDigest(Buffer.alloc(32, 0xff), version)).toBe(
    `ffffffff-ffff-${version}fff-bfff-ffffffffffff`,
  )
})

it('gives the example of RFC 9562 (A.4) for version 5', () => {
  const dns = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex')
  const digest = createHash('sha1').update(dns).update('www.example.com').digest()
  expect(uuidFromDigest(digest, 5)).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})
