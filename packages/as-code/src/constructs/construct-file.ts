// A file of constructs: imports first, then one constant for each resource.
import type { ResourceNames } from '../resource-names.ts'
import { type Construct, constructSource } from './construct-code.ts'

const library = 'checkly/constructs'

export class ConstructFile {
  readonly path: string
  readonly #imports = new Map<string, Set<string>>()
  readonly #statements: string[] = []

  constructor(path: string) {
    this.path = path
  }

  /** A name of the published package. */
  use(construct: string): string {
    return this.#import(library, construct)
  }

  /** A constant of another file of the same directory. */
  useFrom(path: string, variable: string): string {
    return path === this.path ? variable : this.#import(relative(path), variable)
  }

  add(construct: Construct, name: { logicalId: string; variable: string }): void {
    this.#statements.push(`export const ${name.variable} = ${constructSource(construct, name.logicalId)}\n`)
  }

  addStatement(source: string): void {
    this.#statements.push(`${source}\n`)
  }

  get isEmpty(): boolean {
    return this.#statements.length === 0
  }

  get text(): string {
    const imports = [...this.#imports]
      .toSorted(([a], [b]) => rank(a) - rank(b) || compare(a, b))
      .map(([path, names]) => importLine(path, [...names].toSorted(compare)))
    return `${imports.join('')}\n${this.#statements.join('\n')}`
  }

  #import(path: string, name: string): string {
    const names = this.#imports.get(path) ?? new Set()
    this.#imports.set(path, names.add(name))
    return name
  }
}

function importLine(path: string, names: readonly string[]): string {
  const line = `import { ${names.join(', ')} } from '${path}'\n`
  return line.length <= 100
    ? line
    : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${path}'\n`
}

const relative = (path: string) => `./${path.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''}`

const rank = (path: string) => (path === library ? 0 : 1)

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** By logical id, so that files of equal accounts are equal. */
export function inOrder<T>(
  all: readonly T[],
  nameOf: (one: T) => ReturnType<ResourceNames['of']>,
): { one: T; name: { logicalId: string; variable: string } }[] {
  return all
    .flatMap((one) => {
      const name = nameOf(one)
      return name === undefined ? [] : [{ one, name }]
    })
    .toSorted((a, b) => compare(a.name.logicalId, b.name.logicalId))
}
