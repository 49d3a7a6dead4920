// A gRPC server with a greeting method, health checks and reflection.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'
import type { Certificate } from './certificates.ts'
import { wait } from './listen.ts'

export const greeterProto = `syntax = "proto3";
package greet;
message HelloRequest { string first_name = 1; }
message HelloReply { string text = 1; int64 visits = 2; }
service Greeter { rpc Hello(HelloRequest) returns (HelloReply); }
`

export class Greeter {
  readonly health = new HealthImplementation({ '': 'SERVING', 'greet.Greeter': 'SERVING' })
  delayMs = 0
  /** The status of calls instead of a greeting. */
  failure: { code: number; details: string } | null = null
  /** Metadata of the latest call. */
  received: Record<string, unknown> = {}
  port = 0
  #visits = 0
  readonly #server = new Server()

  /** With reflection unless `reflects` is false; with TLS if there is a certificate. */
  static async open(certificate: Certificate | null = null, reflects = true): Promise<Greeter> {
    const greeter = new Greeter()
    const definition = loadDefinition()
    const service = definition['greet.Greeter']
    if (service === undefined || 'format' in service) throw new Error('greet.Greeter is not a service')
    greeter.#server.addService(service, {
      Hello: (call: ServerUnaryCall<{ first_name: string }, unknown>, reply: sendUnaryData<unknown>) =>
        greeter.#greet(call, reply),
    })
    greeter.health.addToServer(greeter.#server)
    if (reflects) new ReflectionService(definition).addToServer(greeter.#server)
    const credentials = certificate
      ? ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(certificate.cert), private_key: Buffer.from(certificate.key) },
        ])
      : ServerCredentials.createInsecure()
    greeter.port = await new Promise<number>((resolve, reject) => {
      greeter.#server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      )
    })
    return greeter
  }

  shut(): void {
    this.#server.forceShutdown()
  }

  async #greet(call: ServerUnaryCall<{ first_name: string }, unknown>, reply: sendUnaryData<unknown>) {
    this.received = call.metadata.getMap()
    await wait(this.delayMs)
    if (this.failure) return reply(this.failure)
    this.#visits += 1
    const trailers = new Metadata()
    trailers.set('x-served-by', 'greeter-1')
    reply(null, { text: `Hello ${call.request.first_name}`, visits: this.#visits }, trailers)
  }
}

function loadDefinition() {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-greeter-'))
  try {
    writeFileSync(join(folder, 'greet.proto'), greeterProto)
    return loadSync(join(folder, 'greet.proto'), { keepCase: true, defaults: true })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
