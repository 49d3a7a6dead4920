// Interprets programs of Handlebars' parser: templates are never compiled to JavaScript, each step is counted, and
// prototypes aren't accessible.
import { type TemplateClock, templateFunctions } from './functions.ts'
import { parseTemplate } from './parse.ts'
import { TemplateError } from './template-error.ts'
import { isRecord, isTruthy, propertyOf, textOf, type Value } from './value.ts'

const maxOutputChars = 1_000_000
const maxSteps = 100_000
const maxDepth = 150

export interface TemplateScope {
  variables: ReadonlyMap<string, Value>
  clock: TemplateClock
  /** Applied by `{{X}}`, but not by `{{{X}}}`. */
  encode(text: string): string
  /** Called with a name that isn't defined; it renders as an empty text. */
  onUndefined?(name: string): void
}

export type RenderedText = { ok: true; text: string } | { ok: false; error: string }

export function interpret(
  template: string,
  scope: TemplateScope,
  describe = ({ message }: TemplateError) => message,
): RenderedText {
  if (!template.includes('{{')) return { ok: true, text: template }
  const run = new Interpretation(scope)
  const top = { context: undefined, parent: null, names: new Map() }
  try {
    run.program(parseTemplate(template), top, 0)
    return { ok: true, text: run.output }
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, error: describe(error) }
    if (error instanceof RangeError) return { ok: false, error: 'the template or its values nest too deeply' }
    throw error
  }
}

interface Frame {
  /** Undefined at the top, where names are variables. */
  context: Value
  parent: Frame | null
  /** `@index` and its like, and block parameters: `as |item|`. */
  names: ReadonlyMap<string, Value>
}

class Interpretation {
  output = ''
  readonly #scope: TemplateScope
  #steps = 0

  constructor(scope: TemplateScope) {
    this.#scope = scope
  }

  program(program: hbs.AST.Program | undefined, frame: Frame, depth: number): void {
    this.#step(depth)
    for (const statement of program?.body ?? []) {
      try {
        this.#statement(statement, frame, depth + 1)
      } catch (error) {
        // The innermost statement is the position of the error.
        if (error instanceof TemplateError) error.position ??= startOf(statement)
        throw error
      }
    }
  }

  #statement(statement: hbs.AST.Statement, frame: Frame, depth: number): void {
    this.#step(depth)
    if (isNode(statement, 'ContentStatement')) this.#write(statement.value)
    else if (isNode(statement, 'MustacheStatement')) this.#mustache(statement, frame, depth)
    else if (isNode(statement, 'BlockStatement')) this.#block(statement, frame, depth)
    else if (statement.type !== 'CommentStatement') {
      throw new TemplateError('partials and decorators are not supported here')
    }
  }

  #mustache(statement: hbs.AST.MustacheStatement, frame: Frame, depth: number): void {
    const value = this.#resolve(statement, frame, depth)
    const { path } = statement
    if (value === undefined && isNode(path, 'PathExpression')) this.#scope.onUndefined?.(path.original)
    const text = textOf(value)
    this.#write(statement.escaped ? this.#scope.encode(text) : text)
  }

  #block(block: hbs.AST.BlockStatement, frame: Frame, depth: number): void {
    const name = nameOf(block.path)
    if (name === 'each') this.#each(block, this.#argument(block, frame, depth), frame, depth)
    else if (name === 'with') this.#with(block, this.#argument(block, frame, depth), frame, depth)
    else if (name === 'if' || name === 'unless') {
      const value = this.#argument(block, frame, depth)
      const includesZero = this.#hash(block.hash, frame, depth).get('includeZero') === true
      const holds = isTruthy(value) || (includesZero && value === 0)
      this.program(holds === (name === 'if') ? block.program : block.inverse, frame, depth + 1)
    } else {
      const value = this.#resolve(block, frame, depth)
      if (Array.isArray(value)) this.#each(block, value, frame, depth)
      else if (isRecord(value)) this.#with(block, value, frame, depth)
      else this.program(isTruthy(value) ? block.program : block.inverse, frame, depth + 1)
    }
  }

  #argument(block: hbs.AST.BlockStatement, frame: Frame, depth: number): Value {
    const [first] = block.params
    if (first === undefined) throw new TemplateError('a block needs a value')
    return this.#expression(first, frame, depth + 1)
  }

  #each(block: hbs.AST.BlockStatement, value: Value, frame: Frame, depth: number): void {
    const items = entriesOf(value)
    if (items.length === 0) this.program(block.inverse, frame, depth + 1)
    for (const [index, [key, item]] of items.entries()) {
      const names = new Map<string, Value>([
        ['@index', index],
        ['@key', key],
        ['@first', index === 0],
        ['@last', index === items.length - 1],
        ...blockParameters(block.program, [item, key]),
      ])
      this.program(block.program, { context: item, parent: frame, names }, depth + 1)
    }
  }

  #with(block: hbs.AST.BlockStatement, value: Value, frame: Frame, depth: number): void {
    const names = new Map(blockParameters(block.program, [value]))
    if (isTruthy(value)) this.program(block.program, { context: value, parent: frame, names }, depth + 1)
    else this.program(block.inverse, frame, depth + 1)
  }

  /** Without arguments, a variable takes precedence over a function of the same name. */
  #resolve(
    call: hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression,
    frame: Frame,
    depth: number,
  ): Value {
    const name = nameOf(call.path)
    const named = name === null ? undefined : templateFunctions.get(name)
    const hasNoArguments =
      call.params.length === 0 && (call.hash?.pairs.length ?? 0) === 0 && call.type !== 'SubExpression'
    if (hasNoArguments) {
      const value = this.#expression(call.path, frame, depth + 1)
      if (value !== undefined || named === undefined) return value
    }
    if (named === undefined) throw new TemplateError(`unknown helper "${String(name ?? '').slice(0, 100)}"`)
    const args = call.params.map((param) => this.#expression(param, frame, depth + 1))
    return named(args, this.#hash(call.hash, frame, depth), this.#scope.clock)
  }

  #hash(hash: hbs.AST.Hash | undefined, frame: Frame, depth: number): ReadonlyMap<string, Value> {
    return new Map(
      (hash?.pairs ?? []).map(({ key, value }) => [key, this.#expression(value, frame, depth + 1)]),
    )
  }

  #expression(expression: hbs.AST.Expression, frame: Frame, depth: number): Value {
    this.#step(depth)
    if (isNode(expression, 'PathExpression')) return this.#path(expression, frame)
    if (isNode(expression, 'SubExpression')) return this.#resolve(expression, frame, depth + 1)
    if (isNode(expression, 'StringLiteral')) return expression.value
    if (isNode(expression, 'NumberLiteral')) return expression.value
    if (isNode(expression, 'BooleanLiteral')) return expression.value
    return expression.type === 'NullLiteral' ? null : undefined
  }

  #path({ data, depth, parts, original }: hbs.AST.PathExpression, frame: Frame): Value {
    const [first, ...rest] = parts
    const down = (value: Value, names: readonly string[]) => names.reduce(propertyOf, value)
    if (data)
      return first === 'root'
        ? down(this.#variable(rest[0]), rest.slice(1))
        : down(namesWith(frame, `@${first}`)?.get(`@${first}`), rest)
    let at: Frame = frame
    for (let level = 0; level < depth && at.parent !== null; level++) at = at.parent
    if (first === undefined) return at.context
    if (depth === 0 && !original.startsWith('this')) {
      const names = namesWith(frame, first)
      if (names) return down(names.get(first), rest)
    }
    // choice: inside a block a name is still a variable, unless the context has a member of that name.
    return down(at.context, parts) ?? down(this.#variable(first), rest)
  }

  #variable(name: string | undefined): Value {
    return name === undefined ? undefined : this.#scope.variables.get(name)
  }

  #write(text: string): void {
    if (this.output.length + text.length > maxOutputChars) {
      throw new TemplateError(`the rendered text is longer than ${maxOutputChars} characters`)
    }
    this.output += text
  }

  #step(depth: number): void {
    this.#steps += 1
    if (this.#steps > maxSteps) {
      throw new TemplateError(`the template takes more than ${maxSteps} steps`)
    }
    if (depth > maxDepth) throw new TemplateError('the template nests too deeply')
  }
}

interface NodeTypes {
  ContentStatement: hbs.AST.ContentStatement
  MustacheStatement: hbs.AST.MustacheStatement
  BlockStatement: hbs.AST.BlockStatement
  PathExpression: hbs.AST.PathExpression
  SubExpression: hbs.AST.SubExpression
  StringLiteral: hbs.AST.StringLiteral
  NumberLiteral: hbs.AST.NumberLiteral
  BooleanLiteral: hbs.AST.BooleanLiteral
}

function isNode<T extends keyof NodeTypes>(node: hbs.AST.Node, type: T): node is NodeTypes[T] {
  return node.type === type
}

function startOf({ loc }: hbs.AST.Statement): { line: number; column: number } {
  return { line: loc.start.line, column: loc.start.column + 1 }
}

function entriesOf(value: Value): [string | number, Value][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item])
  return isRecord(value) ? Object.entries(value) : []
}

/** Null: not a simple name, so it can't be a function. */
function nameOf(path: hbs.AST.Expression): string | null {
  if (!isNode(path, 'PathExpression')) return null
  const { data, depth, parts, original } = path
  return !data && depth === 0 && parts.length === 1 && parts[0] === original ? original : null
}

/** Of the innermost block that defines the name. */
function namesWith(frame: Frame, name: string): Frame['names'] | null {
  for (let scope: Frame | null = frame; scope !== null; scope = scope.parent) {
    if (scope.names.has(name)) return scope.names
  }
  return null
}

function blockParameters(program: hbs.AST.Program | undefined, values: readonly Value[]): [string, Value][] {
  return (program?.blockParams ?? []).map((name, index) => [name, values[index]])
}
