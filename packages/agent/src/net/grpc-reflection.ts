// Descriptors of a service, asked from the server itself (gRPC server reflection, v1 and v1alpha).
import type { Failure } from '@vedette/contracts'
import type { GrpcConnection } from './grpc-call.ts'
import { describeStatus } from './grpc-status.ts'
import { bytesFields, numberField, textFields, textMessage, WireError } from './grpc-wire.ts'

/** FileDescriptorProtos: that of the service and all that it imports. */
export type ReflectedFiles = { files: Uint8Array[]; failure: null } | { files: null; failure: Failure }

const paths = [
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
]

const maxFiles = 200
const maxBytes = 4_000_000

const unimplemented = 12

/** Numbers of the fields of a ServerReflectionRequest. */
const byFileName = 3
const bySymbol = 4
const listServices = 7

export async function reflectService(connection: GrpcConnection, service: string): Promise<ReflectedFiles> {
  const found = await findVersion(connection, service)
  if (found.failure) return { files: null, failure: found.failure }
  const { path } = found
  const files = new Map<string, Uint8Array>()
  let totalBytes = 0
  try {
    let answer: Answer = found.answer
    for (;;) {
      for (const file of answer.files) {
        const name = textFields(file, fileName).at(-1) ?? ''
        if (!files.has(name)) totalBytes += file.length
        files.set(name, file)
      }
      if (files.size > maxFiles || totalBytes > maxBytes) {
        return refused(`The server's reflection has more than ${maxFiles} files or ${maxBytes} bytes.`)
      }
      const missing = missingImport(files)
      if (missing === null) return { files: [...files.values()], failure: null }
      const asked = await ask(connection, path, textMessage(byFileName, missing))
      if (asked.failure) return { files: null, failure: asked.failure }
      if (asked.answer.error !== null || !hasFile(asked.answer, missing)) {
        return refused(`The server's reflection doesn't know the file ${missing.slice(0, 200)}.`)
      }
      answer = asked.answer
    }
  } catch (error) {
    if (error instanceof WireError) return refused(`The server's reflection is invalid: ${error.message}.`)
    throw error
  }
}

const hasFile = ({ files }: Answer, name: string) =>
  files.some((file) => textFields(file, fileName).at(-1) === name)

/** Of a FileDescriptorProto. */
const fileName = 1
const dependency = 3

function missingImport(files: ReadonlyMap<string, Uint8Array>): string | null {
  for (const file of files.values()) {
    for (const name of textFields(file, dependency)) if (!files.has(name)) return name
  }
  return null
}

type Found = { failure: null; path: string; answer: Answer } | { failure: Failure }

async function findVersion(connection: GrpcConnection, service: string): Promise<Found> {
  let asked: Asked | null = null
  for (const path of paths) {
    asked = await ask(connection, path, textMessage(bySymbol, service))
    if (asked.failure) {
      if (asked.code === unimplemented) continue
      return asked
    }
    const { answer } = asked
    if (answer.error === null) return { failure: null, path, answer }
    return refused(await unknownService(connection, path, service, answer.error))
  }
  const message =
    "The server doesn't offer reflection. Enable it there, or set serviceDefinition to PROTO_FILE and add protoContent."
  return { failure: reflectionFailure(message) }
}

/** With the names of the services that the server has, since a wrong name is the usual cause. */
async function unknownService(
  connection: GrpcConnection,
  path: string,
  service: string,
  error: string,
): Promise<string> {
  const listed = await ask(connection, path, textMessage(listServices, '*'))
  const services = listed.failure ? [] : listed.answer.services
  const shown = services.slice(0, 20).join(', ')
  const hint = services.length === 0 ? '' : ` It has ${shown}${services.length > 20 ? ', …' : ''}.`
  return `The server's reflection doesn't know the service ${service.slice(0, 200)} (${error}).${hint}`
}

interface Answer {
  files: Uint8Array[]
  services: string[]
  error: string | null
}

type Asked = { failure: null; answer: Answer } | { failure: Failure; code: number | null }

async function ask(connection: GrpcConnection, path: string, message: Buffer): Promise<Asked> {
  const reply = await connection.call(path, message)
  if (reply.failure) return { failure: reply.failure, code: null }
  if (reply.status?.code !== 0 || !reply.message) {
    const status = reply.status ?? { code: 0, message: '' }
    const failure = reflectionFailure(`The server's reflection failed with ${describeStatus(status)}.`)
    return { failure, code: status.code }
  }
  try {
    return { failure: null, answer: readAnswer(reply.message) }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return {
      failure: reflectionFailure(`The server's reflection is invalid: ${error.message}.`),
      code: null,
    }
  }
}

/** Of a ServerReflectionResponse: field 4 has files, 6 services, 7 an error. */
function readAnswer(message: Uint8Array): Answer {
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

const refused = (message: string): { files: null; failure: Failure } => ({
  files: null,
  failure: reflectionFailure(message),
})

function reflectionFailure(message: string): Failure {
  return { kind: 'protocol', message, phase: 'wait', code: 'REFLECTION' }
}
