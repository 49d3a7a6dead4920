import { createDnsMonitor, createTcpMonitor, createUrlMonitor } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { NameServer } from '../../target/name-server.ts'
import { Site } from '../../target/site.ts'
import { TcpPort } from '../../target/tcp-port.ts'
import { type FailureAnalysis, fails, passes, planted, requestAnalysis } from './analyzed-check.ts'

const day = 86_400_000

/** Each in its own location: if most checks of a location fail to connect, the analysis blames its network. */
export function onTheNetwork(scene: Scene): void {
  it('a port that nothing listens on any more', async ({ onTestFinished }) => {
    const { account } = scene
    const port = await TcpPort.open()
    onTestFinished(() => port.shut())
    const { id } = await account.call(createTcpMonitor, {
      body: { ...planted('Till', 'us-east-1'), request: { hostname: '127.0.0.1', port: port.port } },
    })
    await passes(account, id)
    await port.shut()
    await fails(account, id)
    const { analysis, provider, model, checkType } = await requestAnalysis(account, id)
    expect({ provider, model, checkType }).toEqual({ provider: 'vedette', model: 'rules', checkType: 'TCP' })
    expect(analysis.classification).toBe('INFRASTRUCTURE_ERROR')
    expect(analysis.rootCause).toContain(`The connection to 127.0.0.1:${port.port} was refused`)
    expect(analysis.rootCause).toContain('The same address accepted connections before.')
    expect(analysis.codeFix).toContain(`127.0.0.1:${port.port}`)
  })

  it('a port that accepts, and never responds', async ({ onTestFinished }) => {
    const { account } = scene
    const port = await TcpPort.open()
    onTestFinished(() => port.shut())
    const { id } = await account.call(createTcpMonitor, {
      body: {
        ...planted('Clock', 'us-west-1'),
        request: { hostname: '127.0.0.1', port: port.port, data: 'what time is it?' },
      },
    })
    await passes(account, id)
    port.manner = { way: 'silent' }
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('TIMEOUT_ERROR')
    expect(analysis.rootCause).toContain(`The run timed out at 127.0.0.1:${port.port}`)
    expect(analysis.rootCause).toContain('the request was sent, but no response came')
    expect(analysis.rootCause).toMatch(/Earlier passing runs took [\d.]+ ms\./)
  })

  it('a certificate that expired', async ({ onTestFinished }) => {
    const { account, authority } = scene
    const hosts = ['localhost']
    const site = await Site.open({ tls: authority.issue({ hosts }) })
    onTestFinished(() => site.shut())
    const { id } = await account.call(createUrlMonitor, {
      body: { ...planted('Vault', 'eu-central-1'), request: { url: site.url() } },
    })
    await passes(account, id)
    const [from, until] = [new Date(Date.now() - 90 * day), new Date(Date.now() - day)]
    await site.present(authority.issue({ hosts, from, until }))
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('CERTIFICATE_ERROR')
    expect(analysis.rootCause).toContain(`The certificate of localhost expired on ${dayOf(until)}`)
    expect(analysis.rootCause).toContain('The certificate was replaced')
    expect(namesOf(analysis)).toContain('TLS_CERTIFICATE')
  })

  it('another response of a name server', async ({ onTestFinished }) => {
    const { account } = scene
    const name = 'shop.test'
    const server = await NameServer.open({ names: { [name]: { A: ['192.0.2.7'] } } })
    onTestFinished(() => server.close())
    const { id } = await account.call(createDnsMonitor, {
      body: {
        ...planted('Names', 'eu-west-2'),
        request: {
          query: name,
          recordType: 'A',
          nameServer: '127.0.0.1',
          port: server.port,
          assertions: [{ source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.2.7' }],
        },
      },
    })
    await passes(account, id)
    server.zone = { names: { [name]: { A: ['192.0.2.66'] } } }
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('DNS_ERROR')
    expect(analysis.rootCause).toContain('The DNS response changed')
    expect(analysis.rootCause).toContain('new: A 192.0.2.66; missing: A 192.0.2.7)')
    expect(namesOf(analysis)).toContain('DNS_ANSWER')
  })
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function namesOf({ evidence }: FailureAnalysis['analysis']): string[] {
  return (evidence ?? []).flatMap(({ artifacts }) => artifacts.map(({ name }) => name))
}
