// Requests the descriptors of a service from the server (gRPC server reflection, v1 and v1alpha).
import type { Failure } from '@vedette/contracts'
import { isFailure } from './failure.ts'
import type { GrpcConnection, GrpcReply } from './grpc-call.ts'
import { describeStatus } from './grpc-status.ts'
import { bytesFields, numberField, textFields, textMessage, WireError } from './grpc-wire.ts'

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

/** Returns the FileDescriptorProto of the service and of all files that it imports. */
export async function reflectService(
  connection: GrpcConnection,
  service: string,
): Promise<Uint8Array[] | Failure> {
  const files = new Map<string, Uint8Array>()
  let totalBytes = 0
  try {
    const found = await findService(connection, service)
    if (isFailure(found)) return found
    let { reply } = found
    for (;;) {
      for (const file of reply.files) {
        const name = textFields(file, fileName).at(-1) ?? ''
        if (!files.has(name)) totalBytes += file.length
        files.set(name, file)
      }
      if (files.size > maxFiles || totalBytes > maxBytes) {
        return failure(`The server's reflection has more than ${maxFiles} files or ${maxBytes} bytes.`)
      }
      const missing = missingImport(files)
      if (missing === null) return [...files.values()]
      const asked = readReply(await connection.call(found.path, textMessage(byFileName, missing)))
      if (isFailure(asked)) return asked
      if (asked.error !== null || !hasFile(asked, missing)) {
        return failure(`The server's reflection doesn't know the file ${missing.slice(0, 200)}.`)
      }
      reply = asked
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return failure(`The server's reflection is invalid: ${error.message}.`)
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

async function findService(
  connection: GrpcConnection,
  service: string,
): Promise<{ path: string; reply: ReflectionReply } | Failure> {
  for (const path of paths) {
    const call = await connection.call(path, textMessage(bySymbol, service))
    if (call.status?.code === unimplemented) continue
    const reply = readReply(call)
    if (isFailure(reply)) return reply
    if (reply.error === null) return { path, reply }
    return failure(await unknownService(connection, path, service, reply.error))
  }
  return failure(
    "The server doesn't offer reflection. Enable it there, or set serviceDefinition to PROTO_FILE and add protoContent.",
  )
}

/** Lists the services of the server, since a wrong name is the usual cause. */
async function unknownService(
  connection: GrpcConnection,
  path: string,
  service: string,
  error: string,
): Promise<string> {
  const listed = readReply(await connection.call(path, textMessage(listServices, '*')))
  const services = isFailure(listed) ? [] : listed.services
  const shown = services.slice(0, 20).join(', ')
  const hint = services.length === 0 ? '' : ` It has ${shown}${services.length > 20 ? ', …' : ''}.`
  return `The server's reflection doesn't know the service ${service.slice(0, 200)} (${error}).${hint}`
}

interface ReflectionReply {
  files: Uint8Array[]
  services: string[]
  error: string | null
}

/** A ServerReflectionResponse: field 4 has files, 6 services, 7 an error. Throws a WireError. */
function readReply({ failure: problem, status, message }: GrpcReply): ReflectionReply | Failure {
  if (problem) return problem
  if (status?.code !== 0 || !message) {
    return failure(
      `The server's reflection failed with ${describeStatus(status ?? { code: 0, message: '' })}.`,
    )
  }
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

function failure(message: string): Failure {
  return { kind: 'protocol', message, phase: 'wait', code: 'REFLECTION' }
}
