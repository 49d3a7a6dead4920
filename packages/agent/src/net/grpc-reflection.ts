// Requests the descriptors of a service from the server (gRPC server reflection, v1 and v1alpha).
import type { Failure } from '@vedette/contracts'
import type { GrpcConnection } from './grpc-call.ts'
import { describeStatus } from './grpc-status.ts'
import { bytesFields, numberField, textFields, textMessage, WireError } from './grpc-wire.ts'

/** The FileDescriptorProto of the service and of all files that it imports. */
export type ReflectedFiles = { files: Uint8Array[]; failure: null } | { files: null; failure: Failure }

const paths = [
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
]

const maxFiles = 200
const maxBytes = 4_000_000

const unimplemented = 12

/** Field numbers of a ServerReflectionRequest. */
const byFileName = 3
const bySymbol = 4
const listServices = 7

export async function reflectService(connection: GrpcConnection, service: string): Promise<ReflectedFiles> {
  const version = await findVersion(connection, service)
  if (version.failure) return { files: null, failure: version.failure }
  const { path } = version
  const files = new Map<string, Uint8Array>()
  let totalBytes = 0
  try {
    let reply: ReflectionReply = version.reply
    for (;;) {
      for (const file of reply.files) {
        const name = textFields(file, fileName).at(-1) ?? ''
        if (!files.has(name)) totalBytes += file.length
        files.set(name, file)
      }
      if (files.size > maxFiles || totalBytes > maxBytes) {
        return failReflection(`The server's reflection has more than ${maxFiles} files or ${maxBytes} bytes.`)
      }
      const missing = missingImport(files)
      if (missing === null) return { files: [...files.values()], failure: null }
      const asked = await ask(connection, path, textMessage(byFileName, missing))
      if (asked.failure) return { files: null, failure: asked.failure }
      if (asked.reply.error !== null || !hasFile(asked.reply, missing)) {
        return failReflection(`The server's reflection doesn't know the file ${missing.slice(0, 200)}.`)
      }
      reply = asked.reply
    }
  } catch (error) {
    if (error instanceof WireError)
      return failReflection(`The server's reflection is invalid: ${error.message}.`)
    throw error
  }
}

const hasFile = ({ files }: ReflectionReply, name: string) =>
  files.some((file) => textFields(file, fileName).at(-1) === name)

/** Field numbers of a FileDescriptorProto. */
const fileName = 1
const dependency = 3

function missingImport(files: ReadonlyMap<string, Uint8Array>): string | null {
  for (const file of files.values()) {
    for (const name of textFields(file, dependency)) if (!files.has(name)) return name
  }
  return null
}

type Version = { failure: null; path: string; reply: ReflectionReply } | { failure: Failure }

async function findVersion(connection: GrpcConnection, service: string): Promise<Version> {
  let asked: Asked | null = null
  for (const path of paths) {
    asked = await ask(connection, path, textMessage(bySymbol, service))
    if (asked.failure) {
      if (asked.code === unimplemented) continue
      return asked
    }
    const { reply } = asked
    if (reply.error === null) return { failure: null, path, reply }
    return failReflection(await unknownService(connection, path, service, reply.error))
  }
  const message =
    "The server doesn't offer reflection. Enable it there, or set serviceDefinition to PROTO_FILE and add protoContent."
  return { failure: reflectionFailure(message) }
}

/** Lists the services of the server, since a wrong name is the usual cause. */
async function unknownService(
  connection: GrpcConnection,
  path: string,
  service: string,
  error: string,
): Promise<string> {
  const listed = await ask(connection, path, textMessage(listServices, '*'))
  const services = listed.failure ? [] : listed.reply.services
  const shown = services.slice(0, 20).join(', ')
  const hint = services.length === 0 ? '' : ` It has ${shown}${services.length > 20 ? ', …' : ''}.`
  return `The server's reflection doesn't know the service ${service.slice(0, 200)} (${error}).${hint}`
}

interface ReflectionReply {
  files: Uint8Array[]
  services: string[]
  error: string | null
}

type Asked = { failure: null; reply: ReflectionReply } | { failure: Failure; code: number | null }

async function ask(connection: GrpcConnection, path: string, message: Buffer): Promise<Asked> {
  const call = await connection.call(path, message)
  if (call.failure) return { failure: call.failure, code: null }
  if (call.status?.code !== 0 || !call.message) {
    const status = call.status ?? { code: 0, message: '' }
    const failure = reflectionFailure(`The server's reflection failed with ${describeStatus(status)}.`)
    return { failure, code: status.code }
  }
  try {
    return { failure: null, reply: readReflectionReply(call.message) }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return {
      failure: reflectionFailure(`The server's reflection is invalid: ${error.message}.`),
      code: null,
    }
  }
}

/** A ServerReflectionResponse: field 4 has files, 6 services, 7 an error. */
function readReflectionReply(message: Uint8Array): ReflectionReply {
  const files = bytesFields(message, 4).flatMap((response) => bytesFields(response, 1))
  const services = bytesFields(message, 6)
    .flatMap((list) => bytesFields(list, 1))
    .flatMap((service) => textFields(service, 1))
  const [error] = bytesFields(message, 7).map((response) =>
    describeStatus({
      code: numberField(response, 1),
      message: (textFields(response, 2).at(-1) ?? '').slice(0, 200),
    }),
  )
  return { files, services, error: error ?? null }
}

const failReflection = (message: string): { files: null; failure: Failure } => ({
  files: null,
  failure: reflectionFailure(message),
})

function reflectionFailure(message: string): Failure {
  return { kind: 'protocol', message, phase: 'wait', code: 'REFLECTION' }
}
