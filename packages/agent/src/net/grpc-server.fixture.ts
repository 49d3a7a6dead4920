// A real gRPC server for tests, on loopback: a service of two proto files, health and reflection.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'

const typesProto = `syntax = "proto3";
package greet;
message Person { string first_name = 1; int64 visits = 2; }
enum Mood { MOOD_UNKNOWN = 0; GOOD = 1; }
`

const serviceProto = `syntax = "proto3";
package greet;
import "google/protobuf/timestamp.proto";
import "types.proto";
message HelloRequest { Person person = 1; int32 fail_with = 2; google.protobuf.Timestamp at = 3; bool stay_silent = 4; }
message HelloReply { string text = 1; Mood mood = 2; int64 visits = 3; bytes raw = 4; google.protobuf.Timestamp at = 5; }
service Greeter {
  rpc Hello(HelloRequest) returns (HelloReply);
  rpc Watch(HelloRequest) returns (stream HelloReply);
}
`

/** The same in one file, as a check has it. */
export const greeterProto = serviceProto.replace(
  'import "types.proto";\n',
  typesProto.replace(/^syntax.*\npackage.*\n/, ''),
)

interface Hello {
  person: { first_name: string; visits: string } | null
  fail_with: number
  stay_silent: boolean
  at: unknown
}

export interface GreeterOptions {
  /** Absent: without TLS. */
  tls?: { cert: string; key: string; clientCa?: string }
  reflection?: 'both' | 'v1alpha' | 'none'
  /** Bytes of filler in every reply. */
  rawBytes?: number
}

const servers: Server[] = []

export async function startGreeter({ tls, reflection = 'both', rawBytes = 0 }: GreeterOptions = {}) {
  const definition = loadDefinition()
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  servers.push(server)
  const calls: Metadata[] = []
  const service = definition['greet.Greeter']
  if (service === undefined || 'format' in service)
    throw new Error('the fixture has no service greet.Greeter')
  server.addService(service, {
    Hello: (call: ServerUnaryCall<Hello, unknown>, reply: sendUnaryData<unknown>) => {
      calls.push(call.metadata)
      const { person, fail_with: failWith, stay_silent: staySilent, at } = call.request
      if (staySilent) return
      const trailers = new Metadata()
      trailers.set('x-trailer', 'last')
      if (failWith !== 0) return reply({ code: failWith, details: 'as asked: ü', metadata: trailers })
      const headers = new Metadata()
      headers.set('x-header', 'first')
      headers.set('x-blob-bin', Buffer.from([1, 2, 255]))
      call.sendMetadata(headers)
      const text = `Hello ${person?.first_name ?? 'nobody'}`
      const raw = Buffer.alloc(rawBytes, 7)
      reply(null, { text, mood: 'GOOD', visits: person?.visits ?? '0', raw, at }, trailers)
    },
    Watch: (call: { end(): void }) => call.end(),
  })
  const health = new HealthImplementation({ '': 'SERVING', down: 'NOT_SERVING' })
  health.addToServer(server)
  if (reflection !== 'none') {
    new ReflectionService(definition).addToServer({
      addService(added, implementation) {
        const isAlpha = Object.values(added).some(({ path }) => path.includes('v1alpha'))
        if (isAlpha || reflection === 'both') server.addService(added, implementation)
      },
    })
  }
  const credentials = tls
    ? ServerCredentials.createSsl(
        tls.clientCa === undefined ? null : Buffer.from(tls.clientCa),
        [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }],
        tls.clientCa !== undefined,
      )
    : ServerCredentials.createInsecure()
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return { port, health, calls }
}

export function stopGreeters(): void {
  for (const server of servers.splice(0)) server.forceShutdown()
}

function loadDefinition() {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-grpc-'))
  try {
    writeFileSync(join(folder, 'types.proto'), typesProto)
    writeFileSync(join(folder, 'greet.proto'), serviceProto)
    return loadSync(join(folder, 'greet.proto'), {
      includeDirs: [folder],
      keepCase: true,
      defaults: true,
      longs: String,
      enums: String,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
