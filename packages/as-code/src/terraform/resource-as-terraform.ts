// One resource as Terraform code, for people who look at it. Other resources are named by their ids.
import { logicalIdOf } from '../logical-id.ts'
import type { ResourceKind } from '../resource-names.ts'
import { Expression } from '../source.ts'
import { writeHcl } from './hcl.ts'
import { otherTables } from './other-tables.ts'
import { terraformName, writeResource } from './resource-block.ts'
import { isJson, type Json, type Table } from './table.ts'
import { tableOfResource } from './terraform-resources.ts'

/** Undefined: the provider doesn't have such a resource. Secrets are variables, which the reader declares. */
export function resourceAsTerraform(kind: ResourceKind, resource: object, name: string): string | undefined {
  const settings = { ...resource }
  const table = tableOfResource(kind, settings)
  if (table === undefined) return undefined
  const label = terraformName(logicalIdOf(name))
  const parts = componentsOf(settings, table)
  const addresses = new Map([
    [`${kind} ${String(Reflect.get(settings, 'id'))}`, `${table.resource}.${label}`],
    ...parts.map(
      ({ id, label: of }) => [`status-page-component ${id}`, `${componentTable.resource}.${of}`] as const,
    ),
  ])
  const write = (of: Table, one: Json, own: string) =>
    writeResource(of, one, {
      name: own,
      reference(target, id) {
        const address = addresses.get(`${target} ${id}`)
        return address === undefined ? undefined : new Expression(`${address}.id`)
      },
      secret: (field) => new Expression(`var.${own}_${terraformName(logicalIdOf(field))}`),
    }).items
  return writeHcl([
    ...write(table, settings, label),
    ...parts.flatMap((part) => write(componentTable, part.settings, part.label)),
  ])
}

const componentTable = otherTables['status-page-component']

/** Components of a status page are resources of their own. */
function componentsOf(page: Json, { resource }: Table): { id: string; label: string; settings: Json }[] {
  if (resource !== otherTables['status-page-v3'].resource || !Array.isArray(page.components)) return []
  const labels = new Set<string>()
  return page.components.filter(isJson).map((settings) => {
    const base = terraformName(logicalIdOf(String(settings.name)))
    let label = base
    for (let number = 2; labels.has(label); number += 1) label = `${base}_${number}`
    labels.add(label)
    return { id: String(settings.id), label, settings }
  })
}
