// Terraform files as the provider sees them: parsed, in the order of references, and sent as its library sends them.
import { parse } from '@cdktf/hcl2json'
import type { ExportedFile } from '@vedette/as-code/account-resources'
import { isEmpty, isJson, type Json, type Table } from '@vedette/as-code/terraform-table'
import { terraformTables } from '@vedette/as-code/terraform-tables'
import { type GoResource, leftOut } from '../go-sdk/resource.ts'
import { type Resolve, readFields } from './read-fields.ts'

export interface PlannedResource {
  /** `checkly_check.orders`. */
  address: string
  resource: string
  body: Json
}

export interface ParsedFiles {
  resources: PlannedResource[]
  imports: Json[]
  /** Names of variables, with their declarations. */
  variables: Map<string, Json>
}

export async function parseTerraform(files: readonly ExportedFile[]): Promise<ParsedFiles> {
  const parsed: ParsedFiles = { resources: [], imports: [], variables: new Map() }
  for (const { path, text } of files.filter((file) => file.path.endsWith('.tf'))) {
    const { resource = {}, variable = {}, ...rest } = await parse(path, text)
    for (const [type, named] of Object.entries<Record<string, Json[]>>(resource)) {
      for (const [name, bodies] of Object.entries(named)) {
        for (const body of bodies) parsed.resources.push({ address: `${type}.${name}`, resource: type, body })
      }
    }
    for (const [name, [declaration]] of Object.entries<Json[]>(variable))
      parsed.variables.set(name, declaration ?? {})
    parsed.imports.push(...(rest.import ?? []))
  }
  return parsed
}

/** A resource after those that it refers to. */
export function orderByReferences(resources: readonly PlannedResource[]): PlannedResource[] {
  const rest = [...resources]
  const known = new Set<string>()
  const ordered: PlannedResource[] = []
  while (rest.length > 0) {
    const index = rest.findIndex(({ body }) => referencesOf(body).every((address) => known.has(address)))
    const [next] = rest.splice(index, 1)
    if (index < 0 || !next) throw new Error(`No order: ${rest.map(({ address }) => address).join(', ')}`)
    known.add(next.address)
    ordered.push(next)
  }
  return ordered
}

const referencesOf = (body: Json): string[] =>
  [...JSON.stringify(body).matchAll(/"\$\{(checkly_\w+\.[\w-]+)\.\w+\}"/g)].map(
    ([, address]) => address ?? '',
  )

function tableOf({ resource, body }: PlannedResource): Table {
  const tables = terraformTables.filter((table) => table.resource === resource)
  const isUsed = ({ fields }: Table) =>
    tables.length === 1 || fields.some(({ field, name }) => field === 'block' && name in body)
  const table = tables.find(isUsed)
  if (!table) throw new Error(`No table for ${resource}`)
  return table
}

/** What the attributes of a resource say. */
export function readSettings(planned: PlannedResource, resolve: Resolve): Json {
  return readFields(tableOf(planned).fields, planned.body, resolve)
}

/** Set by the library, not by an attribute of the provider. */
const ofLibrary = new Set(['checkType', 'doubleCheck', 'type'])

/** The request that creates a resource: what its attributes say, and the library's values for those that are absent. */
export function createBody(planned: PlannedResource, go: GoResource, resolve: Resolve): Json {
  const json = readSettings(planned, resolve)
  const body: Record<string, unknown> = { ...json }
  for (const [name, { value, removed, isWriteOnly = false }] of Object.entries(go.attributes)) {
    const empty = removed?.sent
    if (name in json) {
      if (isJson(empty) && isJson(json[name])) body[name] = { ...empty, ...json[name] }
    } else if (removed) {
      if (empty !== leftOut) body[name] = empty
    } else if (isWriteOnly || ofLibrary.has(name) || isEmpty(value)) {
      body[name] = value
    } else {
      throw new Error(`${planned.address}: the attribute of ${name} is missing`)
    }
  }
  return body
}
