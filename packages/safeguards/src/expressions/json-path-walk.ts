// Evaluates JSONPaths with limits: json-p3 has none, and uses JavaScript's regular expressions.
import { jsonpath } from 'json-p3'
import { compileRegex } from './regex.ts'

export class JsonPathLimitError extends Error {}

/** Visited values, including those of filters and comparisons. */
const maxSteps = 2_000_000
const maxResults = 100_000
/** How deep `..` descends, and how deep filters nest. */
const maxDepth = 200

export function walkJsonPath(path: jsonpath.JSONPathQuery, document: unknown): unknown[] {
  return new Walk(document).query(path, document, 0)
}

const { expressions, selectors } = jsonpath

class Walk {
  readonly #root: unknown
  #stepsLeft = maxSteps

  constructor(root: unknown) {
    this.#root = root
  }

  query(path: jsonpath.JSONPathQuery, start: unknown, depth: number): unknown[] {
    this.#checkDepth(depth)
    let nodes: unknown[] = [start]
    path.segments.forEach((segment, index) => {
      const isLast = index === path.segments.length - 1
      const found: unknown[] = []
      for (const node of nodes) {
        if (segment.token.kind === jsonpath.TokenKind.DDOT)
          this.#descend(segment.selectors, node, found, depth)
        else if (isLast && isLengthSegment(segment.selectors)) this.#length(node, found)
        else for (const selector of segment.selectors) this.#select(selector, node, found, depth)
      }
      nodes = found
    })
    return nodes
  }

  #descend(
    chosen: readonly jsonpath.JSONPathSelector[],
    node: unknown,
    found: unknown[],
    depth: number,
    level = 0,
  ): void {
    this.#checkDepth(level)
    for (const selector of chosen) this.#select(selector, node, found, depth)
    if (typeof node !== 'object' || node === null) return
    for (const child of this.#children(node)) this.#descend(chosen, child, found, depth, level + 1)
  }

  #select(selector: jsonpath.JSONPathSelector, node: unknown, found: unknown[], depth: number): void {
    this.#step(1)
    if (typeof node !== 'object' || node === null) return
    if (selector instanceof selectors.NameSelector) {
      if (isRecord(node) && Object.hasOwn(node, selector.name)) this.#add(found, node[selector.name])
    } else if (selector instanceof selectors.WildcardSelector) {
      for (const child of this.#children(node)) this.#add(found, child)
    } else if (selector instanceof selectors.FilterSelector) {
      for (const child of this.#children(node)) {
        if (this.#holds(selector.expression, child, depth)) this.#add(found, child)
      }
    } else if (Array.isArray(node)) {
      // An index or a slice, which visits only what it finds.
      const start = new jsonpath.JSONPathNode(node, [], null)
      for (const { value } of selector.lazyResolve(start)) this.#add(found, value)
    }
  }

  #length(node: unknown, found: unknown[]): void {
    this.#step(1)
    if (Array.isArray(node)) this.#add(found, node.length)
    else if (typeof node === 'string') this.#add(found, this.#countCodePoints(node))
    else if (isRecord(node) && Object.hasOwn(node, 'length')) this.#add(found, node.length)
  }

  #holds(expression: jsonpath.expressions.FilterExpression, current: unknown, depth: number): boolean {
    const value = this.#evaluate(expression, current, depth)
    return value instanceof Nodes ? value.values.length > 0 : value !== false && value !== nothing
  }

  #evaluate(expression: jsonpath.expressions.FilterExpression, current: unknown, depth: number): unknown {
    this.#step(1)
    this.#checkDepth(depth)
    if (expression instanceof expressions.LogicalExpression) {
      return this.#holds(expression.expression, current, depth + 1)
    }
    if (expression instanceof expressions.PrefixExpression) {
      return !this.#holds(expression.right, current, depth + 1)
    }
    if (expression instanceof expressions.InfixExpression) return this.#infix(expression, current, depth + 1)
    if (expression instanceof expressions.RelativeQuery) {
      return new Nodes(this.query(expression.path, current, depth + 1))
    }
    if (expression instanceof expressions.RootQuery) {
      return new Nodes(this.query(expression.path, this.#root, depth + 1))
    }
    if (expression instanceof expressions.FunctionExtension) return this.#call(expression, current, depth + 1)
    if (expression instanceof expressions.NullLiteral) return null
    return 'value' in expression ? expression.value : nothing
  }

  #infix(expression: jsonpath.expressions.InfixExpression, current: unknown, depth: number): boolean {
    const { left, operator, right } = expression
    if (operator === '&&') return this.#holds(left, current, depth) && this.#holds(right, current, depth)
    if (operator === '||') return this.#holds(left, current, depth) || this.#holds(right, current, depth)
    const a = single(this.#evaluate(left, current, depth))
    const b = single(this.#evaluate(right, current, depth))
    if (operator === '==') return this.#equal(a, b)
    if (operator === '!=') return !this.#equal(a, b)
    if (operator === '<') return isLess(a, b)
    if (operator === '>') return isLess(b, a)
    if (operator === '<=') return isLess(a, b) || this.#equal(a, b)
    return isLess(b, a) || this.#equal(a, b)
  }

  #call({ name, args }: jsonpath.expressions.FunctionExtension, current: unknown, depth: number): unknown {
    const [first, second] = args.map((argument) => this.#evaluate(argument, current, depth))
    if (name === 'count') return first instanceof Nodes ? first.values.length : nothing
    const value = single(first)
    if (name === 'value') return value
    if (name === 'length') return this.#lengthOf(value)
    const pattern = single(second)
    if (typeof value !== 'string' || typeof pattern !== 'string') return false
    // A pattern from the document may differ each time, so it costs compiling.
    if (!(args[1] instanceof expressions.FilterExpressionLiteral)) this.#step(1000)
    const regex = compileRegex(name === 'match' ? `^(?:${pattern})$` : pattern)
    if (regex.ok) this.#step(Math.ceil((regex.size * value.length) / 20))
    const result = regex.ok ? regex.find(value) : regex
    if (!result.ok) throw new JsonPathLimitError(`in ${name}() of the JSONPath: ${result.error}`)
    return result.value !== null
  }

  #lengthOf(value: unknown): unknown {
    if (typeof value === 'string') return this.#countCodePoints(value)
    if (Array.isArray(value)) return value.length
    return typeof value === 'object' && value !== null ? this.#children(value).length : nothing
  }

  #countCodePoints(text: string): number {
    this.#step(text.length)
    let count = 0
    for (const _ of text) count += 1
    return count
  }

  #equal(a: unknown, b: unknown): boolean {
    this.#step(1)
    if (a === b) return true
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
      return a.every((value, index) => this.#equal(value, b[index]))
    }
    if (!isRecord(a) || !isRecord(b)) return false
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    return keys.every((key) => Object.hasOwn(b, key) && this.#equal(a[key], b[key]))
  }

  #children(node: object): unknown[] {
    const children = Array.isArray(node) ? node : Object.values(node)
    this.#step(children.length)
    return children
  }

  #add(found: unknown[], value: unknown): void {
    this.#step(1)
    if (found.length >= maxResults) {
      throw new JsonPathLimitError(`the JSONPath finds more than ${maxResults} values`)
    }
    found.push(value)
  }

  #step(count: number): void {
    this.#stepsLeft -= count
    if (this.#stepsLeft < 0) {
      throw new JsonPathLimitError(`the JSONPath takes more than ${maxSteps} steps in this document`)
    }
  }

  #checkDepth(depth: number): void {
    if (depth > maxDepth) {
      throw new JsonPathLimitError(`the JSONPath goes deeper than ${maxDepth} levels`)
    }
  }
}

/** "Nothing" of RFC 9535: the value of a query without results. */
const nothing = Symbol('nothing')

class Nodes {
  readonly values: unknown[]

  constructor(values: unknown[]) {
    this.values = values
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function single(value: unknown): unknown {
  if (!(value instanceof Nodes)) return value
  return value.values.length === 1 ? value.values[0] : nothing
}

function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b
  return typeof a === 'string' && typeof b === 'string' && a < b
}

function isLengthSegment(chosen: readonly jsonpath.JSONPathSelector[]): boolean {
  const [only, ...others] = chosen
  return others.length === 0 && only instanceof selectors.NameSelector && only.name === 'length'
}
