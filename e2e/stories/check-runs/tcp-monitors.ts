import { createTcpMonitor } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deniedAddress, onDemandOnly, type Scene } from '../../scene.ts'
import { type Manner, TcpPort } from '../../target/tcp-port.ts'

export function tcpMonitors(scene: Scene): void {
  const ports: TcpPort[] = []
  let quiet: TcpPort
  beforeAll(async () => {
    quiet = await open({ way: 'silent' })
  })
  afterAll(async () => {
    for (const port of ports) await port.shut()
  })

  async function open(manner: Manner): Promise<TcpPort> {
    const port = await TcpPort.open()
    port.manner = manner
    ports.push(port)
    return port
  }

  async function monitor(
    request: { port: number; [field: string]: unknown },
    settings: object = {},
  ): Promise<string> {
    const check = await scene.account.call(createTcpMonitor, {
      body: {
        name: 'A port',
        ...onDemandOnly,
        locations: ['us-east-1'],
        doubleCheck: false,
        degradedResponseTime: 2_500,
        maxResponseTime: 5_000,
        request: { hostname: '127.0.0.1', ...request },
        ...settings,
      },
    })
    return check.id
  }

  const contains = (target: string) => [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target }]

  it('passes, degrades, fails with the reason, and recovers', async () => {
    const { account } = scene
    const port = await open({ way: 'echo' })
    const id = await monitor({ port: port.port, data: 'are you there?', assertions: contains('there') })

    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, isDegraded: false, failure: null })
    expect(passed.tcpCheckResult).toMatchObject({ response: { data: 'are you there?' } })
    expect(passed.metrics).toMatchObject({ total: expect.any(Number), connection: expect.any(Number) })
    expect(await account.state(id)).toBe('passing')

    port.manner = { way: 'echo', delayMs: 2_600 }
    expect(await account.run(id)).toMatchObject({ isDegraded: true, failure: { kind: 'response_time' } })
    expect(await account.state(id)).toBe('degraded')

    await port.shut()
    const failed = await account.run(id)
    const address = `127.0.0.1:${port.port}`
    expect(failed).toMatchObject({
      hasFailures: true,
      failure: { kind: 'connect', phase: 'connect', address, code: 'ECONNREFUSED' },
    })
    expect(await account.state(id)).toBe('failing')
    expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

    await port.reopen()
    port.manner = { way: 'echo' }
    expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(await account.state(id)).toBe('passing')
  })

  it('reads a greeting of the server, and fails on a wrong one', async () => {
    const port = await open({ way: 'banner', text: '220 mail.test ready\r\n' })
    const right = await scene.account.run(await monitor({ port: port.port, assertions: contains('220') }))
    expect(right).toMatchObject({
      hasFailures: false,
      tcpCheckResult: { response: { data: '220 mail.test ready\r\n' } },
    })
    const wrong = await scene.account.run(await monitor({ port: port.port, assertions: contains('SSH-2.0') }))
    expect(wrong).toMatchObject({ hasFailures: true, failure: { kind: 'assertion', phase: 'judge' } })
  })

  const failures: [string, Manner, object][] = [
    ['silence', { way: 'silent' }, { kind: 'timeout', phase: 'wait', code: 'SOCKET_TIMEOUT' }],
    ['hanging up', { way: 'hang-up' }, { kind: 'protocol', phase: 'wait' }],
    ['a reset', { way: 'reset' }, { kind: 'connect', phase: 'wait', code: 'ECONNRESET' }],
  ]
  it.each(failures)('distinguishes %s from a response', async (_, manner, failure) => {
    const port = await open(manner)
    const result = await scene.account.run(await monitor({ port: port.port, data: 'hello?' }))
    expect(result).toMatchObject({ hasFailures: true, failure })
    expect(result.failure?.address).toBe(`127.0.0.1:${port.port}`)
  })

  it('needs only a connection if it sends nothing', async () => {
    expect(await scene.account.run(await monitor({ port: quiet.port }))).toMatchObject({ hasFailures: false })
  })

  it('passes on a closed port that should be closed', async () => {
    const port = await open({ way: 'silent' })
    await port.shut()
    const id = await monitor({ port: port.port }, { shouldFail: true })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false })
  })

  it('refuses an address that its agent must not reach', async () => {
    const id = await monitor({ hostname: deniedAddress, port: quiet.port })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: true, failure: { kind: 'blocked' } })
  })
}
