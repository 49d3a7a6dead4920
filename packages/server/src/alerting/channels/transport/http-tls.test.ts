import { createServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { expiredCertificate, localhostCertificate } from '../../../testing/certificates.ts'
import { listen, listenHttp } from '../../../testing/listeners.ts'
import { call, closeAll, failureOf, open } from './http.fixture.ts'

afterEach(closeAll)

describe('TLS', () => {
  const usual = getCACertificates('default')
  afterEach(() => setDefaultCACertificates(usual))

  async function listenTls(certificate: { cert: string; key: string }): Promise<number> {
    const { port } = await listen(createServer(certificate, (_, response) => response.end('safe')))
    return port
  }

  it('requires a trusted certificate', async () => {
    const port = await listenTls(localhostCertificate)
    const refused = await failureOf(open().send(call(`https://localhost:${port}/`)))
    expect(refused).toMatchObject({
      permanent: false,
      message: `The certificate of localhost:${port} isn't trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Install a valid certificate there.`,
    })
    setDefaultCACertificates([...usual, localhostCertificate.cert])
    expect(await open().send(call(`https://localhost:${port}/`))).toMatchObject({ body: 'safe' })
    expect(await open().send(call(`https://127.0.0.1:${port}/`))).toMatchObject({ body: 'safe' })
  })

  it('treats an expired certificate as a transient failure', async () => {
    setDefaultCACertificates([...usual, expiredCertificate.cert])
    const port = await listenTls(expiredCertificate)
    expect(await failureOf(open().send(call(`https://localhost:${port}/`)))).toMatchObject({
      permanent: false,
      message: `The certificate of localhost:${port} isn't trusted (CERT_HAS_EXPIRED). Install a valid certificate there.`,
    })
  })

  it('verifies the host of the URL, regardless of the Host header', async () => {
    setDefaultCACertificates([...usual, localhostCertificate.cert])
    const port = await listenTls(localhostCertificate)
    const http = open()
    const headers = { Host: 'elsewhere.example' }
    expect(await http.send(call(`https://localhost:${port}/`, { headers }))).toMatchObject({ body: 'safe' })
  })

  it('fails against a plain HTTP server', async () => {
    const { url } = await listenHttp((_, response) => response.end())
    expect(await failureOf(open().send(call(url.replace('http:', 'https:'))))).toMatchObject({
      permanent: false,
      message: expect.stringMatching(/^A TLS connection to .* could not be established/),
    })
  })
})
