import { afterEach, describe, expect, it } from 'vitest'
import { agentWaits } from '../core/agent-waits.ts'
import { runSchemaTask, type SchemaSource } from './grpc-schema.ts'
import { createSchemaThreads } from './grpc-schema-thread.ts'
import { greeterProto } from './grpc-server.fixture.ts'
import { bytesMessage, textMessage } from './grpc-wire.ts'
import { clock, stoppable } from './listeners.fixture.ts'

const encode = (schema: SchemaSource, method: string, message = '') =>
  runSchemaTask({ kind: 'encode', schema, method, message })

const greeter = { proto: greeterProto }

describe('a proto file', () => {
  it.each(['greet.Greeter/Hello', '/greet.Greeter/Hello', 'greet.Greeter.Hello'])(
    'has the method %s',
    (method) => {
      expect(encode(greeter, method)).toMatchObject({ kind: 'encode', path: '/greet.Greeter/Hello' })
    },
  )

  it.each([
    ['Greeter/Hello', 'There is no service Greeter. Methods: greet.Greeter/Hello, greet.Greeter/Watch.'],
    [
      'greet.Greeter/Bye',
      'greet.Greeter has no method Bye. Methods: greet.Greeter/Hello, greet.Greeter/Watch.',
    ],
    ['greet.Greeter/Watch', 'greet.Greeter/Watch is a streaming method. Only unary methods can be checked.'],
    ['greet.Greeter/__proto__', 'greet.Greeter has no method __proto__.'],
  ])('does not have %s', (method, message) => {
    const result = encode(greeter, method)
    expect(result).toMatchObject({ kind: 'problem', code: 'UNKNOWN_METHOD' })
    expect(result).toHaveProperty('message', expect.stringContaining(message))
  })

  it.each([
    ['{"person":', 'INVALID_MESSAGE'],
    ['{"unknown":1}', 'INVALID_MESSAGE'],
    ['{"failWith":"many"}', 'INVALID_MESSAGE'],
    ['[]', 'INVALID_MESSAGE'],
    ['{"__proto__":{"a":1}}', 'INVALID_MESSAGE'],
  ])('refuses the message %s with a sentence', (message, code) => {
    const result = encode(greeter, 'greet.Greeter/Hello', message)
    expect(result).toMatchObject({ kind: 'problem', code })
    expect(result).toHaveProperty(
      'message',
      expect.stringMatching(/^The message isn't a valid greet\.Hello.*\.$/),
    )
  })

  it.each(['/etc/passwd', '../secrets.proto', 'http://127.0.0.1/a.proto', 'google/api/annotations.proto'])(
    'imports nothing from %s',
    (name) => {
      const result = encode({ proto: `syntax = "proto3"; import "${name}";` }, 'a.B/C')
      expect(result).toMatchObject({ kind: 'problem', code: 'INVALID_PROTO' })
      expect(result).toHaveProperty('message', expect.stringContaining(`protoContent imports ${name}`))
    },
  )

  it.each([
    ["isn't a proto file", 'hello'],
    ['is empty of types', 'syntax = "proto3"; message A { Nowhere a = 1; }'],
    ['nests without end', `syntax = "proto3"; ${'message A {'.repeat(20_000)}`],
    [
      'defines a well-known type again',
      `import "google/protobuf/any.proto"; package google.protobuf; message Any {}`,
    ],
    ['breaks off', 'syntax = "proto3"; message A { string'],
  ])('that %s is refused with a sentence', (_, proto) => {
    const result = encode({ proto }, 'a.B/C')
    expect(result).toMatchObject({ kind: 'problem', code: 'INVALID_PROTO' })
    expect(result).toHaveProperty(
      'message',
      expect.stringMatching(/^protoContent can't be used: .{3,310}\.$/),
    )
  })

  it('leaves the prototypes of objects alone', () => {
    const proto = `syntax = "proto3"; option (constructor).prototype.polluted = "yes"; option __proto__.polluted = "yes";
      message __proto__ { string polluted = 1; } message A { string __proto__ = 1; string constructor = 2; }
      service S { rpc C(A) returns (A); }`
    encode({ proto }, 'S/C', '{"constructor":"a"}')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe("a server's descriptors", () => {
  /** A file with one message of this name, which has one field of this name; and a service that uses it. */
  const fileOf = (message: string, field: string) => {
    const fieldProto = Buffer.concat([textMessage(1, field), Buffer.from([0x18, 1, 0x20, 1, 0x28, 9])])
    const messageProto = Buffer.concat([textMessage(1, message), bytesMessage(2, fieldProto)])
    const method = Buffer.concat([
      textMessage(1, 'C'),
      textMessage(2, `.${message}`),
      textMessage(3, `.${message}`),
    ])
    const service = Buffer.concat([textMessage(1, 'S'), bytesMessage(2, method)])
    return Buffer.concat([
      textMessage(1, 'a.proto'),
      bytesMessage(4, messageProto),
      bytesMessage(6, service),
      textMessage(12, 'proto3'),
    ])
  }

  it('are as good as a proto file', () => {
    const result = encode({ files: [fileOf('M', 'f')] }, 'S/C', '{"f":"x"}')
    expect(result).toMatchObject({ kind: 'encode', path: '/S/C', bytes: textMessage(1, 'x') })
  })

  it.each([
    ['M(){};globalThis.wasRun=1;function x', 'f'],
    ['M', 'f;globalThis.wasRun=1;//'],
    ['M', "f'];globalThis.wasRun=1;['"],
  ])('never run as code: %s %s', (message, field) => {
    const result = encode({ files: [fileOf(message, field)] }, 'S/C', '{}')
    expect(result).toMatchObject({ kind: 'problem', code: 'INVALID_PROTO' })
    expect(globalThis).not.toHaveProperty('wasRun')
  })

  it('that are garbage are refused with a sentence', () => {
    const result = encode({ files: [Buffer.from('garbage')] }, 'S/C')
    expect(result).toMatchObject({ kind: 'problem', code: 'INVALID_PROTO' })
    expect(result).toHaveProperty('message', expect.stringContaining("The server's reflection can't be used"))
  })
})

describe('a response message', () => {
  const decode = (bytes: Uint8Array) =>
    runSchemaTask({ kind: 'decode', schema: greeter, method: 'greet.Greeter/Hello', bytes })

  it('is shown as JSON', () => {
    expect(decode(textMessage(1, 'Grüße'))).toEqual({ kind: 'decode', text: '{"text":"Grüße"}' })
    expect(decode(Buffer.alloc(0))).toEqual({ kind: 'decode', text: '{}' })
  })

  it.each([
    ['is cut', Buffer.from([0x0a, 9, 65])],
    ['is random', Buffer.from('not a message at all')],
  ])('that %s is refused with a sentence', (_, bytes) => {
    const result = decode(bytes)
    expect(result).toMatchObject({ kind: 'problem', code: 'UNDECODABLE_MESSAGE' })
    expect(result).toHaveProperty(
      'message',
      expect.stringMatching(/^The response message isn't a valid greet/),
    )
  })
})

describe('the thread', () => {
  const stop = stoppable()
  const context = { signal: stop.signal, waits: agentWaits(clock.monotonic) }
  // The parser would take a minute.
  const slow = `syntax = "proto3"; message M { ${Array.from({ length: 20_000 }, (_, index) => `string f${index} = ${index + 1};`).join(' ')} }`
  const task = (proto: string) =>
    ({ kind: 'encode', schema: { proto }, method: 'greet.Greeter/Hello', message: '' }) as const

  afterEach(() => expect(context.waits.totalMs).toBeGreaterThan(0))

  it('ends a definition that takes too long, and goes on with the next', async () => {
    const threads = createSchemaThreads({ threads: 1, limitMs: 2_000 })
    const results = await Promise.all([
      threads.run(task(slow), context),
      threads.run(task('syntax = "proto3"; import "no.proto";'), context),
    ])
    expect(results[0]).toMatchObject({ kind: 'protocol', phase: 'setup', code: 'SCHEMA_LIMIT' })
    expect(results[0]).toHaveProperty('message', 'The service definition takes longer than 2 s to process.')
    expect(results[1]).toMatchObject({ kind: 'protocol', code: 'INVALID_PROTO' })
  })

  it('lets a run go that is canceled meanwhile', async () => {
    const threads = createSchemaThreads({ threads: 1, limitMs: 2_000 })
    const running = threads.run(task(slow), context)
    stop.cancel()
    expect(await running).toMatchObject({ kind: 'internal', code: 'CANCELLED' })
  })
})
