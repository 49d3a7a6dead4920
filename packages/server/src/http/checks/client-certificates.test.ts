import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import {
  otherTestCertificate,
  otherTestPrivateKey,
  testCertificate,
  testEncryptedKey,
  testPassphrase,
  testPrivateKey,
  testScryptKey,
  testSlowKey,
  testTraditionalKey,
} from '../../testing/certificates.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const valid = { host: '*.example.com', cert: testCertificate, key: testPrivateKey }

describe('POST /v1/client-certificates', () => {
  it('201: returns the certificate, never the key or its passphrase', async () => {
    const { status, body } = await api.alice.post('/v1/client-certificates', {
      ...valid,
      ca: otherTestCertificate,
      key: testEncryptedKey,
      passphrase: testPassphrase,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      host: valid.host,
      cert: testCertificate,
      ca: otherTestCertificate,
      created_at: expect.any(String),
    })
    expect((await api.alice.get(`/v1/client-certificates/${body.id}`)).body).toEqual(body)
  })

  it('201: keeps neither key nor passphrase readable in the table', async () => {
    const { body } = await api.alice.post('/v1/client-certificates', {
      ...valid,
      key: testEncryptedKey,
      passphrase: testPassphrase,
    })
    const { rows } = await api.store.pool.query(
      'select c::text as row from client_certificates c where id = $1',
      [body.id],
    )
    expect(rows[0].row).not.toContain('PRIVATE KEY')
    expect(rows[0].row).not.toContain(testPassphrase)
  })

  it.each([
    ['a plain key', testPrivateKey, null],
    ['an encrypted key of the older form', testTraditionalKey, testPassphrase],
    ['a passphrase that the key does not need', testPrivateKey, 'unused'],
  ])('201: accepts %s', async (_, key, passphrase) => {
    expect((await api.alice.post('/v1/client-certificates', { ...valid, key, passphrase })).status).toBe(201)
  })

  it('201: accepts a chain', async () => {
    const cert = `${testCertificate}\nBag Attributes\n${otherTestCertificate}`
    const { status, body } = await api.alice.post('/v1/client-certificates', { ...valid, cert })
    expect(status).toBe(201)
    expect(body.cert).toBe(cert)
  })

  const damaged = testCertificate.replace(/\n.{10}/, '\nAAAAAAAAAA')
  it.each([
    ['the key of another certificate', { key: otherTestPrivateKey }, 'key'],
    ['a key that is none', { key: 'secret' }, 'key'],
    ['a certificate in place of the key', { key: testCertificate }, 'key'],
    ['a certificate that is none', { cert: 'hello' }, 'cert'],
    ['a damaged certificate', { cert: damaged }, 'cert'],
    [
      'a private key beside the certificate, where readers would see it',
      { cert: testCertificate + testPrivateKey },
      'cert',
    ],
    ['an empty ca', { ca: '' }, 'ca'],
    ['a private key as ca', { ca: testPrivateKey }, 'ca'],
    ['an encrypted key without passphrase', { key: testEncryptedKey }, 'passphrase'],
    ['a wrong passphrase', { key: testEncryptedKey, passphrase: 'wrong' }, 'passphrase'],
    ['a wrong passphrase of the older form', { key: testTraditionalKey, passphrase: 'wrong' }, 'passphrase'],
    ['a key that takes very long to open', { key: testSlowKey, passphrase: testPassphrase }, 'key'],
    [
      'such a key under another label',
      { key: testSlowKey.replaceAll('ENCRYPTED ', ''), passphrase: testPassphrase },
      'key',
    ],
    ['a key encrypted with scrypt', { key: testScryptKey, passphrase: testPassphrase }, 'key'],
    ['a host with a path', { host: 'https://example.com/' }, 'host'],
    ['a host that is too long', { host: 'a'.repeat(501) }, 'host'],
  ])('400: refuses %s', async (_, change, field) => {
    const { status, body } = await api.alice.post('/v1/client-certificates', { ...valid, ...change })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('400: names every wrong field', async () => {
    const missing = await api.alice.post('/v1/client-certificates', {})
    expect(missing.body.attributes).toEqual({ host: 'is required', cert: 'is required', key: 'is required' })
    const wrong = await api.alice.post('/v1/client-certificates', { host: 'a', cert: 'x', ca: 'x', key: 'x' })
    expect(Object.keys(wrong.body.attributes).sort()).toEqual(['ca', 'cert', 'key'])
  })

  it('403: a key that may only read adds nothing', async () => {
    expect((await (await api.as('READ_RUN')).post('/v1/client-certificates', valid)).status).toBe(403)
  })
})

describe('GET /v1/client-certificates', () => {
  it('200: lists all, the newest last', async () => {
    const owner = await api.newAccount()
    for (let index = 0; index < 12; index++)
      await owner.post('/v1/client-certificates', { ...valid, host: `h${index}` })
    const { status, body, text } = await owner.get('/v1/client-certificates')
    expect(status).toBe(200)
    expect(body).toHaveLength(12)
    expect(text).not.toContain('PRIVATE KEY')
  })

  it('404: another account sees nothing', async () => {
    const { body } = await api.alice.post('/v1/client-certificates', valid)
    expect((await api.bob.get(`/v1/client-certificates/${body.id}`)).status).toBe(404)
    expect((await api.bob.get('/v1/client-certificates')).body).toEqual([])
    expect((await api.alice.get(`/v1/client-certificates/${randomUUID()}`)).status).toBe(404)
  })

  it('400: an invalid id', async () => {
    expect((await api.alice.get('/v1/client-certificates/7')).status).toBe(400)
  })
})

describe('DELETE /v1/client-certificates/{id}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { body } = await api.alice.post('/v1/client-certificates', valid)
    expect((await api.alice.delete(`/v1/client-certificates/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/client-certificates/${body.id}`)).status).toBe(404)
  })

  it('404: another account deletes nothing; 403: nor does a key that may only read', async () => {
    const { body } = await api.alice.post('/v1/client-certificates', valid)
    expect((await api.bob.delete(`/v1/client-certificates/${body.id}`)).status).toBe(404)
    expect((await (await api.as('READ_ONLY')).delete(`/v1/client-certificates/${body.id}`)).status).toBe(403)
  })
})

describe('GET /v1/client-certificates/{id}/uses', () => {
  it('200: checks whose host it is chosen for, and SSL monitors that name it', async () => {
    const owner = await api.newAccount()
    const add = async (host: string) =>
      (await owner.post('/v1/client-certificates', { ...valid, host })).body.id as string
    const [pattern, exact] = [await add('*.example.com'), await add('pay.example.com')]
    const { body: group } = await owner.post('/v1/check-groups', {
      name: 'Group',
      apiCheckDefaults: { url: 'https://shop.example.com' },
    })
    const check = (type: string, name: string, request: object, more: object = {}) =>
      owner.post(`/v1/checks/${type}`, { name, activated: false, request, ...more })
    const made = await Promise.all([
      check('api', 'API', { method: 'GET', url: 'https://API.example.com/health' }),
      check('api', 'Exact', { method: 'GET', url: 'https://pay.example.com' }),
      check('api', 'In a group', { method: 'GET', url: '{{GROUP_BASE_URL}}/x' }, { groupId: group.id }),
      check('api', 'Plain', { method: 'GET', url: 'http://api.example.com' }),
      check('api', 'Elsewhere', { method: 'GET', url: 'https://example.org' }),
      check('api', 'Unknown', { method: 'GET', url: 'https://{{HOST}}/' }),
      check('url', 'Never sent', { url: 'https://api.example.com' }),
      check('grpc', 'GRPC', {
        url: 'grpc.example.com',
        port: 443,
        grpcConfig: { mode: 'BEHAVIOR', method: 'greet.Greeter/Hello' },
      }),
      check('ssl', 'SSL', { sslConfig: { hostname: 'tls.example.com' } }),
      check('ssl', 'SSL, named', {
        sslConfig: { hostname: 'example.org', clientCertificateMode: 'explicit' },
        sslClientCertificateId: exact,
      }),
    ])
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
    const namesOf = async (id: string) => {
      const { body } = await owner.get(`/v1/client-certificates/${id}/uses`)
      expect(body).toMatchObject({ checkCount: body.checks.length, groups: [], groupCount: 0 })
      return body.checks.map(({ name }: { name: string }) => name)
    }
    expect(await namesOf(pattern)).toEqual(['API', 'GRPC', 'In a group', 'SSL'])
    expect(await namesOf(exact)).toEqual(['Exact', 'SSL, named'])
  })
})
