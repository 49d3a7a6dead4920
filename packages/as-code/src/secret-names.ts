// Names of environment variables for values that an export doesn't contain.
import type { ExportedFile } from './account-resources.ts'

export interface SecretOwner {
  /** For people: `check "Orders"`. */
  readonly resource: string
  readonly logicalId: string
}

export interface SecretName {
  /** `ORDERS_TOKEN`: upper case, unique in an export. */
  readonly variable: string
  readonly resource: string
  readonly field: string
}

export class SecretNames {
  readonly #names = new Map<string, SecretName>()
  readonly #taken = new Set<string>()

  /** The same name each time it is asked for the same field of the same resource. */
  nameOf({ resource, logicalId }: SecretOwner, field: string): string {
    const key = JSON.stringify([resource, logicalId, field])
    const known = this.#names.get(key)
    if (known !== undefined) return known.variable
    const base = environmentName(`${logicalId} ${field}`)
    let variable = base
    for (let number = 2; this.#taken.has(variable); number += 1) variable = `${base}_${number}`
    this.#taken.add(variable)
    this.#names.set(key, { variable, resource, field })
    return variable
  }

  /** In the order of the names. */
  list(): SecretName[] {
    return [...this.#names.values()].toSorted((a, b) => (a.variable < b.variable ? -1 : 1))
  }
}

/** Names of environment variables don't begin with a digit. */
function environmentName(text: string): string {
  const words = text.toUpperCase().match(/[A-Z0-9]+/g) ?? ['SECRET']
  const name = words.join('_')
  return /^[0-9]/.test(name) ? `_${name}` : name
}

/** The variables that a deployment needs, without values. */
export function environmentExample(secrets: SecretNames): ExportedFile {
  const lines = secrets
    .list()
    .map(({ variable, resource, field }) => `# ${oneLine(`${field} of ${resource}`)}\n${variable}=\n`)
  return { path: '.env.example', text: lines.join('\n') }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
