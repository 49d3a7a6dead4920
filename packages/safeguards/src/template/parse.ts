// Handlebars' parser with limits: it takes about 5 µs per word of a tag, and some tags make it copy the rest of the
// template (measured: seconds for a hostile megabyte).
import Handlebars from 'handlebars'
import { LRUCache } from 'lru-cache'
import { TemplateError } from './template-error.ts'

const maxTemplateChars = 1_000_000
const maxTags = 2000
/** Words and signs inside of tags. */
const maxTokens = 20_000
/** Tags × characters of the template. */
const maxCopiedChars = 500_000_000

const parsed = new LRUCache<string, hbs.AST.Program>({ max: 500, memoMethod: parse })
const maxCachedChars = 4000

/** Throws a TemplateError. */
export function parseTemplate(template: string): hbs.AST.Program {
  if (template.length > maxTemplateChars) {
    throw new TemplateError(`the template is longer than ${maxTemplateChars} characters`)
  }
  const found = template.split('{{', maxTags + 2).length - 1
  if (found > maxTags) throw new TemplateError(`the template has more than ${maxTags} tags`)
  if (found * template.length > maxCopiedChars) {
    throw new TemplateError('the template has too many tags for its length')
  }
  if (template.length > maxCachedChars) return parse(template)
  return parsed.memo(template)
}

function parse(template: string): hbs.AST.Program {
  countingLexer.tokensLeft = maxTokens
  try {
    // Given a program, Handlebars only removes the whitespace around blocks.
    return internals.parse(parser.parse(template))
  } catch (error) {
    if (error instanceof TemplateError) throw error
    if (!(error instanceof Error)) throw error
    throw new TemplateError(error.message.replace(/\s+/g, ' ').slice(0, 500), positionOf(error))
  }
}

interface Lexer {
  /** Of a token; columns are counted from zero. */
  yylloc: { first_line: number; first_column: number }
  lex(): unknown
}

/** What the types of Handlebars lack. */
interface Internals {
  Parser: { lexer: Lexer; parse(template: string): hbs.AST.Program }
  parse(program: hbs.AST.Program): hbs.AST.Program
}

const internals = Handlebars as unknown as Internals
const shared = internals.Parser

const countingLexer: Lexer & { tokensLeft: number } = Object.assign(Object.create(shared.lexer), {
  tokensLeft: 0,
  lex(this: Lexer & { tokensLeft: number }) {
    this.tokensLeft -= 1
    if (this.tokensLeft < 0) throw new TemplateError('the template has too much inside of its tags')
    return shared.lexer.lex.call(this)
  },
})

// The shared parser is initialized by its first use; this one inherits from it.
Handlebars.parse('')

const parser: Internals['Parser'] = Object.assign(Object.create(shared), {
  lexer: countingLexer,
  parseError(message: string) {
    const { first_line: line, first_column: column } = countingLexer.yylloc
    throw Object.assign(new Error(message), { lineNumber: line, column })
  },
})

/** Exceptions of Handlebars have the same fields. */
function positionOf(error: Error): TemplateError['position'] {
  if (!('lineNumber' in error && 'column' in error)) return null
  const { lineNumber, column } = error
  if (typeof lineNumber !== 'number' || typeof column !== 'number') return null
  return { line: lineNumber, column: column + 1 }
}
