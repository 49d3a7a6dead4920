import { describe, expect, it } from 'vitest'
import { normalize } from './normalize.ts'

const api = { url: () => 'http://localhost', key: '', accountId: '' }
const ids = 'f7dfc2abe7e4483eaae64e65aa56d289d02ce91e161c47dbb9b551267ffe0815'
const linkTo = (expires: string, named: string, signature: string) => {
  const payload = Buffer.from(`01${expires}${named}`, 'hex').toString('base64url')
  return { url: `http://localhost/r/${payload}${signature.repeat(22)}` }
}
const before = linkTo('6b2c9950', ids, 'a')

describe('a link to a page', () => {
  it('is equal an hour later, with another expiry and signature', async () => {
    const after = linkTo('6b2ca760', ids, 'b')
    expect(after).not.toEqual(before)
    expect(await normalize(api, after)).toEqual(await normalize(api, before))
  })

  it('differs when it names something else', async () => {
    const after = linkTo('6b2c9950', ids.replace('f7', 'f8'), 'a')
    expect(await normalize(api, after)).not.toEqual(await normalize(api, before))
  })
})
