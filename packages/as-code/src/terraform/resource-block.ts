// One resource as a block, with a comment about what the provider can't set.

import { Expression } from '../source.ts'
import { bundleResource, checkTables } from './check-tables.ts'
import { attribute, block, type HclItem } from './hcl.ts'
import { isJson, type Json, type Table } from './table.ts'
import { listUnwritten, type Scope, writeFields } from './write-fields.ts'

export interface ResourceBlock {
  readonly items: readonly HclItem[]
  /** Settings that no attribute holds. */
  readonly unwritten: readonly string[]
}

export function writeResource(table: Table, resource: Json, scope: Scope): ResourceBlock {
  const unwritten = [...listUnwritten(table, resource), ...lostStructure(table, resource)]
  const comment: HclItem[] =
    unwritten.length === 0
      ? []
      : [{ item: 'comment', text: `The provider has no attribute for: ${unwritten.join(', ')}.` }]
  const body = writeFields(table.fields, resource, scope)
  const bundle = table === checkTables.PLAYWRIGHT ? [bundleOf(scope)] : []
  return {
    items: [...bundle, ...comment, block('resource', [table.resource, scope.name], body)],
    unwritten,
  }
}

function bundleOf({ name, archive }: Scope): HclItem {
  const file = archive === undefined ? `var.${bundleVariable(name)}` : `"\${path.module}/${archive}"`
  const prebuilt = block('prebuilt_archive', [], [attribute('file', new Expression(file))])
  return block('resource', [bundleResource, name], [prebuilt])
}

export const bundleVariable = (name: string) => `${name.replaceAll('-', '_')}_bundle`

/** Older status pages are cards of services in the provider. Their components can be more than that. */
function lostStructure({ resource }: Table, page: Json): string[] {
  if (resource !== 'checkly_status_page' || !Array.isArray(page.components)) return []
  const components = page.components.filter(isJson)
  const cards = new Set(components.filter(({ parentId }) => parentId === null).map(({ id }) => id))
  const isPlain = ({ type, parentId, description, hidden, configuration }: Json) =>
    (type === 'GROUP' ? parentId === null : cards.has(parentId)) &&
    description === null &&
    hidden === false &&
    (!isJson(configuration) || Object.values(configuration).every((one) => one === true))
  return components.every(isPlain) ? [] : ['components']
}

/** Letters, digits, underscores and hyphens, not beginning with a digit. */
export function terraformName(logicalId: string): string {
  const name = logicalId.replace(/[^A-Za-z0-9_-]+/g, '_').replaceAll('-', '_')
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

/** Adopts a resource that exists. */
export function importOf(address: string, id: string): HclItem {
  return block('import', [], [attribute('to', new Expression(address)), attribute('id', id)])
}
