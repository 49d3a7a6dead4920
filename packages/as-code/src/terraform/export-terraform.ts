// The resources of an account as Terraform files.
import type { AccountResources, CodeBundles, ExportedFile } from '../account-resources.ts'
import type { ResourceKind, ResourceNames } from '../resource-names.ts'
import type { SecretNames } from '../secret-names.ts'
import { Expression } from '../source.ts'
import { checkTables } from './check-tables.ts'
import { attribute, block, type HclItem, writeHcl } from './hcl.ts'
import { otherTables } from './other-tables.ts'
import { exportReadme, type Unwritten } from './readme.ts'
import { bundleVariable, importOf, terraformName, writeResource } from './resource-block.ts'
import { listTerraformResources, type TerraformResource } from './terraform-resources.ts'

export function exportTerraform(
  account: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
  codeBundles: CodeBundles = new Map(),
): ExportedFile[] {
  const { resources, unknown } = listTerraformResources(account)
  const addresses = nameAddresses(resources, names)
  const slugs = new Map(account.privateLocations.map(({ slugName, id }) => [slugName, id]))
  const files = new Map<string, HclItem[]>()
  const imports: HclItem[] = []
  const unwritten: Unwritten[] = []
  const archives = new Archives(codeBundles)
  const bundles: string[] = []
  const componentPages: string[] = []
  for (const { resource, name } of addresses.list()) {
    const { kind, id, table, settings, title, file, importId } = resource
    const address = `${table.resource}.${name}`
    const logicalId = names.of(kind, id)?.logicalId ?? name
    const isSuite = table === checkTables.PLAYWRIGHT
    const archive = isSuite ? archives.pathOf(settings.codeBundlePath, name) : undefined
    const written = writeResource(table, settings, {
      name,
      archive,
      secret: (field) => variableOf(secrets.nameOf({ resource: title, logicalId }, field)),
      reference(of, key) {
        const isSlug = of === 'private-location'
        const target = addresses.of(of, isSlug ? (slugs.get(String(key)) ?? '') : key)
        return target === undefined ? undefined : new Expression(`${target}.${isSlug ? 'slug_name' : 'id'}`)
      },
    })
    files.set(file, [...(files.get(file) ?? []), ...written.items])
    if (importId !== undefined) imports.push(importOf(address, importId))
    if (written.unwritten.length > 0) unwritten.push({ address, title, fields: written.unwritten })
    if (isSuite && archive === undefined) bundles.push(name)
    if (table === otherTables['status-page-v3']) componentPages.push(address)
  }
  return [
    {
      path: 'README.md',
      text: exportReadme({ unwritten, unknown, componentPages, bundles: bundles.map(bundleVariable) }),
    },
    { path: '.gitignore', text: ignoredFiles },
    { path: 'versions.tf', text: writeHcl(versions) },
    ...inputFiles(secrets, bundles),
    ...archives.files,
    ...[...files].map(([path, items]) => ({ path, text: writeHcl(items) })),
    ...(imports.length === 0 ? [] : [{ path: 'imports.tf', text: writeHcl(imports) }]),
  ]
}

/** Suites of one deployment have one archive. */
class Archives {
  readonly files: ExportedFile[] = []
  readonly #bundles: CodeBundles
  readonly #paths = new Map<string, string>()

  constructor(bundles: CodeBundles) {
    this.#bundles = bundles
  }

  /** Undefined: the archive isn't known. */
  pathOf(codeBundlePath: unknown, name: string): string | undefined {
    const key = String(codeBundlePath)
    const bundle = this.#bundles.get(key)
    if (bundle === undefined) return undefined
    const path = this.#paths.get(key) ?? `bundles/${name}.tar.gz`
    if (!this.#paths.has(key)) this.files.push({ path, text: '', bytes: bundle.archive })
    this.#paths.set(key, path)
    return path
  }
}

/** The state contains secrets, as the values of variables do. */
const ignoredFiles = '.terraform/\n*.tfstate\n*.tfstate.*\n*.tfvars\n'

const variableOf = (secret: string) => new Expression(`var.${secret.toLowerCase()}`)

class Addresses {
  readonly #names = new Map<TerraformResource, string>()
  readonly #addresses = new Map<string, string>()

  add(resource: TerraformResource, name: string): void {
    this.#names.set(resource, name)
    this.#addresses.set(keyOf(resource.kind, resource.id), `${resource.table.resource}.${name}`)
  }

  list(): { resource: TerraformResource; name: string }[] {
    return [...this.#names].map(([resource, name]) => ({ resource, name }))
  }

  of(kind: ResourceKind, id: string | number): string | undefined {
    return this.#addresses.get(keyOf(kind, id))
  }
}

const keyOf = (kind: ResourceKind, id: string | number) => `${kind} ${id}`

/** In the order of their logical ids, so that two exports of equal accounts are equal. */
function nameAddresses(resources: readonly TerraformResource[], names: ResourceNames): Addresses {
  const addresses = new Addresses()
  const taken = new Set<string>()
  const kinds = [...new Set(resources.map(({ kind }) => kind))]
  const idOf = ({ kind, id }: TerraformResource) => names.of(kind, id)?.logicalId ?? String(id)
  const sorted = resources.toSorted(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (idOf(a) < idOf(b) ? -1 : 1),
  )
  for (const resource of sorted) {
    const base = terraformName(idOf(resource))
    let name = base
    for (let number = 2; taken.has(`${resource.table.resource}.${name}`); number += 1)
      name = `${base}_${number}`
    taken.add(`${resource.table.resource}.${name}`)
    addresses.add(resource, name)
  }
  return addresses
}

const versions: HclItem[] = [
  block(
    'terraform',
    [],
    [
      attribute('required_version', '>= 1.5.0'),
      block(
        'required_providers',
        [],
        [
          attribute('checkly', {
            entries: [
              ['source', 'checkly/checkly'],
              ['version', '~> 1.29'],
            ],
          }),
        ],
      ),
    ],
  ),
  block(
    'provider',
    ['checkly'],
    [
      { item: 'comment', text: 'The key is read from CHECKLY_API_KEY.' },
      attribute('api_url', new Expression('var.checkly_api_url')),
      attribute('account_id', new Expression('var.checkly_account_id')),
    ],
  ),
]

interface Input {
  readonly name: string
  readonly description: string
  readonly isSensitive?: boolean
  readonly isOptional?: boolean
}

const server: Input[] = [
  {
    name: 'checkly_api_url',
    description: 'The address of the server, without a path. Absent: CHECKLY_API_URL.',
    isOptional: true,
  },
  {
    name: 'checkly_account_id',
    description: 'The id of the account. Absent: CHECKLY_ACCOUNT_ID.',
    isOptional: true,
  },
]

function inputFiles(secrets: SecretNames, bundles: readonly string[]): ExportedFile[] {
  const inputs: Input[] = [
    ...server,
    ...bundles.map((name) => ({
      name: bundleVariable(name),
      description: `Path of the archive (tar.gz) of the suite ${name}.`,
    })),
    ...secrets.list().map(({ variable, resource, field }) => ({
      name: variable.toLowerCase(),
      description: oneLine(`${field} of ${resource}`),
      isSensitive: true,
    })),
  ]
  const example = inputs
    .filter(({ isOptional = false }) => !isOptional)
    .map(({ name, description }) => `# ${description}\n${name} = ""\n`)
  return [
    { path: 'variables.tf', text: writeHcl(inputs.map(declare)) },
    { path: 'terraform.tfvars.example', text: example.join('\n') },
  ]
}

function declare({ name, description, isSensitive = false, isOptional = false }: Input): HclItem {
  return block(
    'variable',
    [name],
    [
      attribute('type', new Expression('string')),
      attribute('description', description),
      ...(isSensitive ? [attribute('sensitive', true)] : []),
      ...(isOptional ? [attribute('default', new Expression('null'))] : []),
    ],
  )
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
