import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { grpcMonitor } from '../checks/grpc.ts'
import type { CheckOf, RunContext } from '../checks/runner.ts'
import { authority, client, localhost, selfSigned } from '../net/certificates.fixture.ts'
import { type GreeterOptions, greeterProto, startGreeter, stopGreeters } from '../net/grpc-server.fixture.ts'
import { closeListeners, runContext } from '../net/listeners.fixture.ts'
import { runCheck } from './run.ts'

type Request = CheckOf<'GRPC'>['request']

afterEach(async () => {
  stopGreeters()
  await closeListeners()
})

function settings(
  port: number | string,
  grpcConfig: Partial<Request['grpcConfig']>,
  over: Partial<Request> = {},
): Request {
  return {
    url: '127.0.0.1',
    port,
    ipFamily: 'IPv4',
    skipSSL: false,
    timeout: 60,
    assertions: [],
    ...over,
    grpcConfig: {
      mode: 'BEHAVIOR',
      tls: false,
      metadata: [],
      service: null,
      encoding: 'PROTOBUF',
      serviceDefinition: 'REFLECTION',
      method: 'greet.Greeter/Hello',
      protoContent: null,
      message: null,
      ...grpcConfig,
    },
  }
}

const run = (request: Request, over: Partial<RunContext> = {}) => grpcMonitor.run(request, runContext(over))

/** The whole run, with its verdict. */
async function judge(request: Request, variables: Record<string, string> = {}, secrets: string[] = []) {
  const check = { checkType: 'GRPC', shouldFail: false, request } as CheckOf<'GRPC'>
  return runCheck({ check, variables, secrets }, runContext())
}

const byProto = { serviceDefinition: 'PROTO_FILE', protoContent: greeterProto } as const

describe('a gRPC monitor', () => {
  it.each([
    ['by reflection', {}],
    ['with a proto file', byProto],
  ])('calls a method %s', async (_, config) => {
    const { port } = await startGreeter()
    const { detail, failure, responseTimeMs, subjects } = await run(
      settings(port, { ...config, message: '{"person":{"firstName":"Ann"}}' }),
    )
    expect(failure).toBeNull()
    expect(responseTimeMs).toBe(detail.timingPhases.total)
    expect(detail.response).toMatchObject({
      grpcMode: 'BEHAVIOR',
      host: '127.0.0.1',
      resolvedIp: '127.0.0.1',
      port,
      grpcMethod: 'greet.Greeter/Hello',
      responseMessage: '{"text":"Hello Ann","mood":"GOOD"}',
      grpcStatusCode: 0,
      healthStatus: null,
      metadata: expect.arrayContaining([
        { key: 'x-header', value: 'first' },
        { key: 'x-blob-bin', value: 'AQL/' },
        { key: 'x-trailer', value: 'last' },
      ]),
      discoveredMethods: ['greet.Greeter/Hello', 'greet.Greeter/Watch'],
    })
    expect(subjects).toMatchObject({
      GRPC_STATUS_CODE: { value: 0 },
      GRPC_RESPONSE: { value: { text: 'Hello Ann' } },
      GRPC_METADATA: { values: { 'x-trailer': 'last' } },
      TEXT_BODY: { value: expect.stringContaining('Ann') },
      RESPONSE_TIME: { value: responseTimeMs },
    })
    expect(subjects).not.toHaveProperty('GRPC_HEALTHCHECK_STATUS')
  })

  it.each([
    ['', 1, 'passed', undefined],
    ['down', 2, 'failed', 'Expected the health status SERVING, but it was NOT_SERVING.'],
  ])('asks for the health of "%s"', async (service, healthStatus, outcome, message) => {
    const { port } = await startGreeter()
    const result = await judge(settings(port, { mode: 'HEALTH', service }))
    expect(result).toMatchObject({ outcome, detail: { healthStatus, grpcStatusCode: 0 } })
    expect(result.failure?.message).toBe(message)
  })

  it('passes on a status or a health that is asserted', async () => {
    const { port } = await startGreeter()
    const equals = (source: 'GRPC_STATUS_CODE' | 'GRPC_HEALTHCHECK_STATUS', target: string) => ({
      assertions: [{ source, comparison: 'EQUALS' as const, property: '', target, regex: null }],
    })
    const down = settings(port, { mode: 'HEALTH', service: 'down' }, equals('GRPC_HEALTHCHECK_STATUS', '2'))
    expect(await judge(down)).toMatchObject({ outcome: 'passed' })
    const failing = { ...byProto, message: '{"failWith":7}' }
    expect(await judge(settings(port, failing, equals('GRPC_STATUS_CODE', '7')))).toMatchObject({
      outcome: 'passed',
    })
    expect(await judge(settings(port, failing))).toMatchObject({
      outcome: 'failed',
      failure: {
        kind: 'status',
        code: '7',
        message: 'Expected the gRPC status 0 OK, but it was 7 PERMISSION_DENIED: as asked: ü.',
      },
    })
  })

  it('fills templates as they are, and masks credentials', async () => {
    const { port, calls } = await startGreeter()
    const request = settings('{{PORT}}', {
      ...byProto,
      metadata: [
        { key: 'authorization', value: 'Bearer {{TOKEN}}' },
        { key: 'x-plain', value: 'p' },
      ],
      message: '{"person":{"firstName":"{{NAME}}"}}',
    })
    const variables = { PORT: `${port}`, TOKEN: 'a b+c%', NAME: 'Ann Lee' }
    const result = await judge(request, variables, [variables.TOKEN])
    expect(result).toMatchObject({
      outcome: 'passed',
      detail: {
        response: { responseMessage: expect.stringContaining('Hello Ann Lee') },
        request: { headers: { 'x-plain': 'p' } },
      },
    })
    expect(calls[0]?.get('authorization')).toEqual(['Bearer a b+c%'])
    expect(JSON.stringify(result)).not.toContain(variables.TOKEN)
  })

  it.each([
    ['a port', { port: 'ssh' }, {}, 'INVALID_PORT'],
    ['metadata', {}, { metadata: [{ key: 'grpc-timeout', value: '1m' }] }, 'INVALID_METADATA'],
    ['metadata', {}, { metadata: [{ key: 'a b', value: '1' }] }, 'INVALID_METADATA'],
    ['metadata', {}, { metadata: [{ key: 'a', value: 'ü' }] }, 'INVALID_METADATA'],
    ['metadata', {}, { metadata: [{ key: 'a-bin', value: '%' }] }, 'INVALID_METADATA'],
    ['a proto file', {}, { ...byProto, protoContent: 'hello' }, 'INVALID_PROTO'],
    ['a message', {}, { ...byProto, message: '{' }, 'INVALID_MESSAGE'],
    ['a method', {}, { ...byProto, method: 'greet.Greeter/Bye' }, 'UNKNOWN_METHOD'],
  ])('connects to nothing where %s is wrong', async (_, over, config, code) => {
    const { failure, detail } = await run(settings(9, config, over))
    expect(failure).toMatchObject({ kind: 'protocol', phase: 'setup', code })
    expect(detail).toMatchObject({ response: null, tried: [], requestError: failure?.message })
  })

  it('times out', async () => {
    const { port } = await startGreeter()
    const { failure, responseTimeMs } = await run(
      settings(port, { ...byProto, message: '{"staySilent":true}' }, { timeout: 1 }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'wait' })
    expect(responseTimeMs).toBeNull()
  })

  it('judges a large message as well as a small one', async () => {
    const { port } = await startGreeter({ rawBytes: 1_000_000 })
    const assertions = [
      {
        source: 'GRPC_RESPONSE',
        property: '$.text',
        comparison: 'EQUALS',
        target: 'Hello nobody',
        regex: null,
      },
    ] as Request['assertions']
    const result = await judge(settings(port, byProto, { assertions }))
    expect(result).toMatchObject({ outcome: 'passed', detail: { response: { truncated: true } } })
  })
})

describe('a gRPC monitor with TLS', () => {
  const open = (tls: GreeterOptions['tls']) => startGreeter(tls ? { tls } : {})
  const health = { mode: 'HEALTH', tls: true } as const
  const trusting = (certificate: Partial<typeof client> = {}) => ({
    clientCertificates: [{ host: '*', cert: '', key: '', ...certificate, ca: authority, passphrase: null }],
  })

  it('refuses a certificate that is not trusted unless skipSSL is set', async () => {
    const { port } = await open(selfSigned)
    expect((await run(settings(port, health))).failure).toMatchObject({ kind: 'tls' })
    const { failure, detail } = await run(settings(port, health, { skipSSL: true }))
    expect(failure).toBeNull()
    expect(detail).toMatchObject({ healthStatus: 1, tls: { alpn: 'h2' } })
    expect(detail.timingPhases.tls).not.toBeNull()
  })

  it('shows its client certificate', async () => {
    const { port } = await open({ ...localhost, clientCa: authority })
    expect((await run(settings(port, health), trusting())).failure).not.toBeNull()
    expect((await run(settings(port, health), trusting(client))).failure).toBeNull()
  })

  it('reports whether the server speaks TLS', async () => {
    const plain = await startGreeter()
    expect((await run(settings(plain.port, health))).failure).toMatchObject({ kind: 'tls' })
    const { port } = await open(localhost)
    const { failure } = await run(settings(port, { ...health, tls: false }))
    expect(failure).not.toBeNull()
    expect(failure?.kind).not.toBe('internal')
  })

  it('connects to nothing that the rules refuse', async () => {
    const network = networkPolicy({ mode: 'public' })
    const { failure } = await run(settings(443, health), { network })
    expect(failure).toMatchObject({ kind: 'blocked' })
  })
})
