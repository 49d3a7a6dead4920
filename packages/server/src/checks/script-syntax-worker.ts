// The thread behind script-syntax.ts. Scripts are parsed by Node's own parsers, as agents do it, and never run.
import { stripTypeScriptTypes } from 'node:module'
import { compileFunction } from 'node:vm'
import { parentPort } from 'node:worker_threads'

export interface SyntaxTask {
  source: string
  /** Lifecycle scripts run inside of an async function: `return` and `await` stand at their top. */
  isLifecycle: boolean
}

/** `error` null: it parses. `isBroken`: the parser can't be used again. */
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
    // Not the script's fault: the parser ran out of stack, for example.
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

/** Imports stand only at the top of modules; their lines stay, so that line numbers do. */
function withoutImports(source: string): string {
  return source.replace(
    /^[ \t]*(import\s[^;'"]*?from\s*(['"])[^'"\n]+\2|import\s*(['"])[^'"\n]+\3)[ \t]*;?/gm,
    (text) => text.replace(/[^\n]/g, ' '),
  )
}

/** Syntax that has to be compiled, such as an enum, isn't an error. */
function strip(code: string): void {
  try {
    stripTypeScriptTypes(code, { mode: 'strip' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
  }
}

/** V8 has the line in front of its stack, as `<file>:3`. */
function describe(error: SyntaxError): string {
  const line = /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')?.[1]
  return line === undefined ? error.message : `${error.message} (line ${line})`
}
