// The worker of script-syntax.ts. Parses scripts with Node's own parsers, as agents do, and never runs them.
import { stripTypeScriptTypes } from 'node:module'
import { compileFunction } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { errorCode } from '@vedette/safeguards/errors'

export interface SyntaxTask {
  source: string
  /** Lifecycle scripts run inside an async function, so they may have `return` and `await` at the top level. */
  isLifecycle: boolean
}

/** `error`: null if the script parses. `isBroken`: the parser can't be used again. */
export interface SyntaxReply {
  error: string | null
  isBroken: boolean
}

parentPort?.on('message', (task: SyntaxTask) => {
  parentPort?.postMessage(judge(task) satisfies SyntaxReply)
})

function judge({ source, isLifecycle }: SyntaxTask): SyntaxReply {
  const body = withoutImports(source)
  const forms = isLifecycle
    ? [() => compileFunction(`(async () => {${body}\n})`), () => strip(`async () => {${body}\n}`)]
    : [() => compileFunction(body), () => strip(source)]
  let error: string | null = null
  for (const parse of [...forms, () => strip(source)]) {
    const result = attempt(parse)
    if (result === null) return { error: null, isBroken: false }
    // Not a syntax error: the parser ran out of stack, for example.
    if (!(result instanceof SyntaxError)) return { error: null, isBroken: true }
    error ??= describe(result)
  }
  return { error, isBroken: false }
}

function attempt(parse: () => unknown): unknown {
  try {
    parse()
    return null
  } catch (error) {
    return error
  }
}

/** Imports are allowed only in modules. They become spaces, so that line numbers stay the same. */
function withoutImports(source: string): string {
  return source.replace(
    /^[ \t]*(import\s[^;'"]*?from\s*(['"])[^'"\n]+\2|import\s*(['"])[^'"\n]+\3)[ \t]*;?/gm,
    (text) => text.replace(/[^\n]/g, ' '),
  )
}

/** Syntax that can't be stripped, such as an enum, isn't an error. */
function strip(code: string): void {
  try {
    stripTypeScriptTypes(code, { mode: 'strip' })
  } catch (error) {
    if (errorCode(error) !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
  }
}

/** V8 puts the line before the stack, as `<file>:3`. */
function describe(error: SyntaxError): string {
  const line = /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')?.[1]
  return line === undefined ? error.message : `${error.message} (line ${line})`
}
