import { checkRoutesOf, createVariable } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { selfSigned } from '../../target/certificates.ts'
import { Greeter, greeterProto } from '../../target/greeter.ts'

export function grpcMonitors(scene: Scene): void {
  const opened: Greeter[] = []
  let greeter: Greeter
  beforeAll(async () => {
    greeter = await open(Greeter.open(scene.authority.issue({ hosts: ['localhost', '127.0.0.1'] })))
  })
  afterAll(() => {
    for (const one of opened) one.shut()
  })

  async function open(opening: Promise<Greeter>): Promise<Greeter> {
    const server = await opening
    opened.push(server)
    return server
  }

  async function monitor(
    port: number,
    grpcConfig: Record<string, unknown>,
    request: Record<string, unknown> = {},
  ): Promise<string> {
    const check = await scene.account.call(checkRoutesOf.GRPC.create, {
      body: {
        name: 'A greeter',
        ...onDemandOnly,
        locations: ['us-east-1'],
        doubleCheck: false,
        degradedResponseTime: 4_000,
        maxResponseTime: 10_000,
        request: { url: 'localhost', port, grpcConfig, ...request },
      },
    })
    return check.id
  }

  it('in HEALTH mode checks the health of a server and of one of its services', async () => {
    const { account } = scene
    const id = await monitor(greeter.port, { mode: 'HEALTH', service: 'greet.Greeter' })
    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, failure: null })
    expect(passed.grpcCheckResult).toMatchObject({
      grpcStatusCode: 0,
      healthStatus: 1,
      response: {
        grpcMode: 'HEALTH',
        resolvedIp: '127.0.0.1',
        healthStatusLabel: 'SERVING',
        responseMessage: '{"status":"SERVING"}',
      },
      timingPhases: { dns: expect.any(Number), tls: expect.any(Number), total: expect.any(Number) },
    })
    expect(passed.metrics).toMatchObject({ responseTime: expect.any(Number), tls: expect.any(Number) })
    expect(await account.state(id)).toBe('passing')

    greeter.health.setStatus('greet.Greeter', 'NOT_SERVING')
    const failed = await account.run(id)
    expect(failed).toMatchObject({
      hasFailures: true,
      failure: { kind: 'status', message: 'Expected the health status SERVING, but it was NOT_SERVING.' },
    })
    expect(await account.state(id)).toBe('failing')
    expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

    greeter.health.setStatus('greet.Greeter', 'SERVING')
    expect(await account.run(id)).toMatchObject({ hasFailures: false })
    const unknown = await monitor(greeter.port, { mode: 'HEALTH', service: 'nobody' })
    expect(await account.run(unknown)).toMatchObject({
      hasFailures: true,
      failure: { kind: 'status', message: expect.stringContaining('5 NOT_FOUND') },
    })
    const expected = [{ source: 'GRPC_STATUS_CODE', comparison: 'EQUALS', target: '5' }]
    const asserted = await monitor(
      greeter.port,
      { mode: 'HEALTH', service: 'nobody' },
      { assertions: expected },
    )
    expect(await account.run(asserted)).toMatchObject({ hasFailures: false })
  })

  it('calls a method by reflection, with metadata from a variable', async () => {
    const { account } = scene
    const secret = 'a secret of the greeter'
    await account.call(createVariable, { body: { key: 'GREETER_TOKEN', value: secret, secret: true } })
    const id = await monitor(
      greeter.port,
      {
        method: 'greet.Greeter/Hello',
        message: '{"firstName":"Ann"}',
        metadata: [{ key: 'authorization', value: 'Bearer {{GREETER_TOKEN}}' }],
      },
      {
        assertions: [
          { source: 'GRPC_STATUS_CODE', comparison: 'EQUALS', target: '0' },
          { source: 'GRPC_RESPONSE', property: '$.text', comparison: 'EQUALS', target: 'Hello Ann' },
          { source: 'GRPC_METADATA', property: 'x-served-by', comparison: 'EQUALS', target: 'greeter-1' },
          { source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'Ann' },
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '10000' },
        ],
      },
    )
    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, failure: null })
    expect(passed.grpcCheckResult).toMatchObject({
      response: {
        grpcMethod: 'greet.Greeter/Hello',
        discoveredMethods: ['greet.Greeter/Hello'],
        responseMessage: expect.stringContaining('Hello Ann'),
      },
      timingPhases: { reflection: expect.any(Number) },
    })
    expect(greeter.received).toMatchObject({ authorization: `Bearer ${secret}` })
    expect(JSON.stringify(passed)).not.toContain(secret)
    expect(JSON.stringify(passed)).not.toContain(encodeURIComponent(secret))
  })

  it('calls a method of a proto file without TLS; degrades when it is slow; fails with the status', async () => {
    const { account } = scene
    const plain = await open(Greeter.open(null, false))
    const id = await monitor(plain.port, {
      tls: false,
      method: 'greet.Greeter/Hello',
      serviceDefinition: 'PROTO_FILE',
      protoContent: greeterProto,
      message: '{"first_name":"Bo"}',
    })
    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, isDegraded: false })
    expect(passed.grpcCheckResult).toMatchObject({
      response: { responseMessage: '{"text":"Hello Bo","visits":"1"}' },
      timingPhases: { tls: null, reflection: null },
    })

    plain.delayMs = 4_100
    expect(await account.run(id)).toMatchObject({ isDegraded: true, failure: { kind: 'response_time' } })
    expect(await account.state(id)).toBe('degraded')

    plain.delayMs = 0
    plain.failure = { code: 7, details: 'not today' }
    expect(await account.run(id)).toMatchObject({
      hasFailures: true,
      failure: {
        kind: 'status',
        message: 'Expected the gRPC status 0 OK, but it was 7 PERMISSION_DENIED: not today.',
      },
      grpcCheckResult: { grpcStatusCode: 7 },
    })

    const reflecting = await monitor(plain.port, { tls: false, method: 'greet.Greeter/Hello' })
    expect(await account.run(reflecting)).toMatchObject({
      hasFailures: true,
      failure: { kind: 'protocol', message: expect.stringContaining("doesn't offer reflection") },
    })
    const secured = await monitor(plain.port, { mode: 'HEALTH' })
    expect(await account.run(secured)).toMatchObject({ hasFailures: true, failure: { kind: 'tls' } })
    const late = await monitor(
      plain.port,
      {
        tls: false,
        method: 'greet.Greeter/Hello',
        serviceDefinition: 'PROTO_FILE',
        protoContent: greeterProto,
      },
      { timeout: 1 },
    )
    plain.delayMs = 3_000
    expect(await account.run(late)).toMatchObject({ hasFailures: true })
    plain.shut()
    expect(await account.run(late)).toMatchObject({
      hasFailures: true,
      failure: { kind: 'connect', code: 'ECONNREFUSED' },
    })
  })

  it('refuses a certificate that is not trusted, unless skipSSL is set', async () => {
    const { account } = scene
    const distrusted = await open(Greeter.open(selfSigned({ hosts: ['localhost'] })))
    const id = await monitor(distrusted.port, { mode: 'HEALTH' })
    expect(await account.run(id)).toMatchObject({ hasFailures: true, failure: { kind: 'tls' } })
    const skipping = await monitor(distrusted.port, { mode: 'HEALTH' }, { skipSSL: true })
    expect(await account.run(skipping)).toMatchObject({ hasFailures: false })
  })
}
