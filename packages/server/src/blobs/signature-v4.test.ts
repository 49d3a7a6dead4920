import { describe, expect, it } from 'vitest'
import { emptyPayloadHash, signV4 } from './signature-v4.ts'

// The examples of the specification, with their published signatures.
const key = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
}
const host = ['examplebucket', 's3', 'amazonaws', 'com'].join('.')
const now = Date.UTC(2013, 4, 24)
const welcome = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'

describe('signV4', () => {
  it.each([
    [
      'an object, in part',
      { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' }, payloadHash: emptyPayloadHash },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'an object that is put',
      {
        method: 'PUT',
        path: '/test%24file.text',
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        payloadHash: welcome,
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'a query without a value',
      { method: 'GET', path: '/?lifecycle', headers: {}, payloadHash: emptyPayloadHash },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'a query',
      { method: 'GET', path: '/?prefix=J&max-keys=2', headers: {}, payloadHash: emptyPayloadHash },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('signs %s correctly', (_what, { path, headers, ...call }, signature) => {
    const url = new URL(`https://${host}${path}`)
    const all = { ...headers, 'x-amz-content-sha256': call.payloadHash }
    const signed = signV4({ ...call, url, headers: all }, key, now)
    const names = ['host', 'x-amz-date', ...Object.keys(all)].sort().join(';')
    expect(signed.authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    )
    expect(signed['x-amz-date']).toBe('20130524T000000Z')
    expect(signed.host).toBeUndefined()
  })
})
