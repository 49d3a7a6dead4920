// What a script can use: the modules of its runtime, its variables, and the globals of tests and of setup scripts.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'

export interface ScriptContext {
  /** `test`: a Playwright test; `setup`: runs around the request of an API check. */
  kind: 'test' | 'setup'
  /** Of the runtime: name to version. */
  modules: Readonly<Record<string, string>>
  variables: readonly string[]
}

/** Of every runtime. */
const builtins = [
  'assert',
  'buffer',
  'crypto',
  'dns',
  'fs',
  'http',
  'https',
  'path',
  'querystring',
  'url',
  'util',
  'zlib',
]

const common: readonly Completion[] = [
  { label: 'process.env', type: 'variable', detail: 'variables and secrets' },
  { label: 'console.log', type: 'function', apply: 'console.log(' },
  { label: 'fetch', type: 'function' },
  { label: 'require', type: 'function', apply: "require('" },
]

const globals: Record<ScriptContext['kind'], readonly Completion[]> = {
  test: [
    { label: 'test', type: 'function', detail: 'declare a test' },
    { label: 'test.step', type: 'function', detail: 'a named step' },
    { label: 'test.describe', type: 'function' },
    { label: 'test.beforeEach', type: 'function' },
    { label: 'test.use', type: 'function', detail: 'options of the browser' },
    { label: 'expect', type: 'function', detail: 'an assertion' },
    { label: 'page', type: 'variable', detail: 'a tab of the browser' },
    { label: 'page.goto', type: 'function' },
    { label: 'page.getByRole', type: 'function' },
    { label: 'page.getByLabel', type: 'function' },
    { label: 'page.getByText', type: 'function' },
    { label: 'page.locator', type: 'function' },
    { label: 'page.screenshot', type: 'function' },
    { label: 'context', type: 'variable', detail: 'the browser context' },
    { label: 'request', type: 'variable', detail: 'sends API requests' },
    { label: 'request.get', type: 'function' },
    { label: 'request.post', type: 'function' },
  ],
  setup: [
    { label: 'request', type: 'variable', detail: 'the request that is sent' },
    { label: 'request.headers', type: 'property' },
    { label: 'request.url', type: 'property' },
    { label: 'request.body', type: 'property' },
    { label: 'request.queryParameters', type: 'property' },
    { label: 'response', type: 'variable', detail: 'in teardown scripts' },
    { label: 'response.body', type: 'property' },
    { label: 'response.statusCode', type: 'property' },
    { label: 'axios', type: 'variable' },
    { label: 'moment', type: 'variable' },
    { label: '_', type: 'variable', detail: 'lodash' },
  ],
}

export function completionsOf({ kind, modules, variables }: ScriptContext) {
  const moduleNames = [...new Set([...Object.keys(modules), ...builtins])].sort()
  return (context: CompletionContext): CompletionResult | null => {
    const inModule = context.matchBefore(/(?:from\s+|require\(\s*|import\s+)['"][\w@/.-]*/)
    if (inModule !== null) {
      const from = inModule.from + inModule.text.search(/['"]/) + 1
      const options = moduleNames.map((label) => ({
        label,
        type: 'namespace',
        ...(modules[label] === undefined ? {} : { detail: modules[label] }),
      }))
      return { from, options, validFor: /^[\w@/.-]*$/ }
    }
    const inVariables = context.matchBefore(/process\.env\.\w*/)
    if (inVariables !== null)
      return {
        from: inVariables.from + 'process.env.'.length,
        options: variables.map((label) => ({ label, type: 'constant' })),
        validFor: /^\w*$/,
      }
    const word = context.matchBefore(/[\w.]+/)
    if (word === null && !context.explicit) return null
    return { from: word?.from ?? context.pos, options: [...globals[kind], ...common], validFor: /^[\w.]*$/ }
  }
}
