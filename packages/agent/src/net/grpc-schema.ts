// Converts messages of users' services between ProtoJSON and bytes, with a proto file or a server's descriptors. Only
// grpc-schema-worker.ts loads this: a hostile definition can take the parser minutes, so it runs on a thread that can be
// terminated. No file is ever read: imports other than Google's well-known types are refused.
import { createHash } from 'node:crypto'
import { errorMessage } from '@vedette/safeguards/errors'
import protobuf from 'protobufjs'
import 'protobufjs/ext/descriptor.js'
import protojson from 'protobufjs/ext/protojson.js'
import { bytesMessage } from './grpc-wire.ts'

export type SchemaSource = { proto: string } | { files: Uint8Array[] }

export type SchemaTask = { schema: SchemaSource; method: string } & (
  | { kind: 'encode'; message: string }
  | { kind: 'decode'; bytes: Uint8Array }
)

/** Of the kind of the task. */
export type SchemaResult =
  | { kind: 'encode'; path: string; bytes: Uint8Array; methods: string[] }
  /** Compact JSON. */
  | { kind: 'decode'; text: string }
  | { kind: 'problem'; message: string; code: SchemaProblemCode }

type SchemaProblemCode = 'INVALID_PROTO' | 'UNKNOWN_METHOD' | 'INVALID_MESSAGE' | 'UNDECODABLE_MESSAGE'

class SchemaProblem extends Error {
  readonly code: SchemaProblemCode

  constructor(code: SchemaProblemCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Numbers and booleans take more bytes as text. */
const maxJsonChars = 4_000_000
const maxMethods = 200

export function runSchemaTask(task: SchemaTask): SchemaResult {
  try {
    const root = rootOf(task.schema)
    const { path, request, response } = findMethod(root, task.method)
    if (task.kind === 'decode') return { kind: 'decode', text: decode(response, task.bytes) }
    const bytes = encode(request, task.message)
    return { kind: 'encode', path, bytes, methods: methodsOf(root).slice(0, maxMethods) }
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    return { kind: 'problem', message: error.message, code: error.code }
  }
}

/** A run needs its schema twice, and so does the next run of the check. */
const roots = new Map<string, protobuf.Root>()
const maxRoots = 20

function rootOf(schema: SchemaSource): protobuf.Root {
  const hash = createHash('sha256')
  for (const part of 'proto' in schema ? [schema.proto] : schema.files) hash.update(part).update('\0')
  const key = hash.digest('base64')
  const root = roots.get(key) ?? readSchema(schema)
  roots.delete(key)
  roots.set(key, root)
  const oldest = roots.size > maxRoots ? roots.keys().next().value : undefined
  if (oldest !== undefined) roots.delete(oldest)
  return root
}

function readSchema(schema: SchemaSource): protobuf.Root {
  const origin = 'proto' in schema ? 'protoContent' : "The server's reflection"
  try {
    const root = 'proto' in schema ? parseProto(schema.proto) : readDescriptors(schema.files)
    checkNames(root)
    root.resolveAll()
    return root
  } catch (error) {
    if (error instanceof SchemaProblem) throw error
    throw new SchemaProblem('INVALID_PROTO', `${origin} can't be used: ${reasonOf(error)}.`)
  }
}

function parseProto(text: string): protobuf.Root {
  const { root, imports = [], weakImports = [] } = protobuf.parse(text, new protobuf.Root())
  for (const name of new Set([...imports, ...weakImports])) {
    const known = protobuf.common.get(name)
    if (!known?.nested) {
      const message = `protoContent imports ${name.slice(0, 200)}, but only Google's well-known types (google/protobuf/timestamp.proto and the like) can be imported. Copy what it defines into protoContent.`
      throw new SchemaProblem('INVALID_PROTO', message)
    }
    root.addJSON(known.nested)
  }
  return root
}

function readDescriptors(files: readonly Uint8Array[]): protobuf.Root {
  // A FileDescriptorSet.
  return protobuf.Root.fromDescriptor(Buffer.concat(files.map((file) => bytesMessage(1, file))))
}

/**
 * The library compiles types, with their names, to JavaScript. It escapes names, but a mistake there would run a server's
 * code here (CVE-2026-41242), so unusual names are refused.
 */
function checkNames(parent: protobuf.NamespaceBase): void {
  for (const nested of parent.nestedArray) {
    checkName(nested.name)
    if (nested instanceof protobuf.Enum) Object.keys(nested.values).forEach(checkName)
    if (nested instanceof protobuf.Type) {
      for (const field of nested.fieldsArray) {
        checkName(field.name)
        checkTypeName(field.type)
      }
      for (const { name } of nested.oneofsArray) checkName(name)
    }
    if (nested instanceof protobuf.Field) checkTypeName(nested.type)
    if (nested instanceof protobuf.Service) for (const { name } of nested.methodsArray) checkName(name)
    if (nested instanceof protobuf.Namespace) checkNames(nested)
  }
}

function checkName(name: string): void {
  // Extensions are fields whose names have dots.
  if (!/^\.?[A-Za-z_][\w.]*$/.test(name)) throw new Error(`"${name.slice(0, 100)}" isn't a valid name`)
}

function checkTypeName(name: string): void {
  if (!/^[\w.]+$/.test(name)) throw new Error(`"${name.slice(0, 100)}" isn't a valid type`)
}

function findMethod(root: protobuf.Root, wanted: string) {
  const [, serviceName = '', methodName = ''] = /^\/?(.+)[/.](\w+)$/.exec(wanted.trim()) ?? []
  const service = root.lookup(`.${serviceName}`, protobuf.Service)
  // The lookup also finds a service of that name in any package.
  if (!(service instanceof protobuf.Service) || service.fullName !== `.${serviceName}`) {
    throw unknownMethod(`There is no service ${serviceName || wanted}`, methodsOf(root))
  }
  const method = service.methodsArray.find(({ name }) => name === methodName)
  const fullName = service.fullName.slice(1)
  if (!method) throw unknownMethod(`${fullName} has no method ${methodName}`, methodsOf(service))
  method.resolve()
  if (method.requestStream || method.responseStream) {
    const message = `${fullName}/${methodName} is a streaming method. Only unary methods can be checked.`
    throw new SchemaProblem('UNKNOWN_METHOD', message)
  }
  const { resolvedRequestType: request, resolvedResponseType: response } = method
  if (!request || !response) {
    throw new SchemaProblem('INVALID_PROTO', `The messages of ${fullName}/${methodName} aren't defined.`)
  }
  return { path: `/${fullName}/${methodName}`, request, response }
}

function unknownMethod(what: string, methods: readonly string[]): SchemaProblem {
  const shown = methods.slice(0, 20).join(', ')
  const hint = methods.length === 0 ? '' : ` Methods: ${shown}${methods.length > 20 ? ', …' : ''}.`
  return new SchemaProblem('UNKNOWN_METHOD', `${what.slice(0, 300)}.${hint}`)
}

/** As `pkg.Service/Method`. */
function methodsOf(parent: protobuf.ReflectionObject): string[] {
  if (parent instanceof protobuf.Service) {
    return parent.methodsArray.map(({ name }) => `${parent.fullName.slice(1)}/${name}`)
  }
  return parent instanceof protobuf.Namespace ? parent.nestedArray.flatMap(methodsOf) : []
}

function encode(type: protobuf.Type, message: string): Uint8Array {
  try {
    return type.encode(protojson.fromJsonString(type, message.trim() === '' ? '{}' : message)).finish()
  } catch (error) {
    const text = `The message isn't a valid ${type.fullName.slice(1)}: ${reasonOf(error)}.`
    throw new SchemaProblem('INVALID_MESSAGE', text)
  }
}

function decode(type: protobuf.Type, bytes: Uint8Array): string {
  const name = type.fullName.slice(1)
  try {
    const text = protojson.toJsonString(type, type.decode(bytes))
    if (text.length <= maxJsonChars) return text
  } catch (error) {
    const text = `The response message isn't a valid ${name}: ${reasonOf(error)}.`
    throw new SchemaProblem('UNDECODABLE_MESSAGE', text)
  }
  const text = `The response message is too large: as JSON it has more than ${maxJsonChars} characters.`
  throw new SchemaProblem('UNDECODABLE_MESSAGE', text)
}

function reasonOf(error: unknown): string {
  return errorMessage(error).replace(/\.$/, '').slice(0, 300)
}
