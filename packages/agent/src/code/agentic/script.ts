// The script of an agentic check: an ordinary Playwright test, written from the performed steps, and parsed again for repairs.
// Pure and deterministic.
import { quote } from './statement.ts'

export interface ScriptStep {
  title: string
  statements: string[]
}

/** Of a failed replay: the steps that passed, and those from the failed one on. */
export interface FailedReplay {
  done: ScriptStep[]
  left: ScriptStep[]
  error: string
}

/** The prefix of steps that assert something; results find assertions by it. */
export const verifyPrefix = 'Verify: '

const head = `import { expect, test } from '@playwright/test'

// Written by a run of an agentic check from its prompt; later runs replay it.
test.use({ actionTimeout: 10_000, navigationTimeout: 30_000 })
`

export function writeScript(name: string, steps: readonly ScriptStep[]): string {
  const blocks = steps.map((step) => `\n${stepBlock(step)}\n`).join('')
  return `${head}
test(${quote(name)}, async ({ page }) => {
  test.setTimeout(220_000)
${blocks}})
`
}

/** For scripts and for the browser host. */
export function stepBlock({ title, statements }: ScriptStep): string {
  const lines = statements.map((statement) => `    ${statement}\n`).join('')
  return `  await test.step(${quote(title)}, async () => {\n${lines}  })`
}

/** Null: not written by `writeScript`. */
export function readScript(script: string): ScriptStep[] | null {
  const blocks = script.matchAll(
    /^ {2}await test\.step\(('(?:[^'\\\n]|\\.)*'), async \(\) => \{\n((?: {4}.*\n)*) {2}\}\)$/gm,
  )
  const steps = [...blocks].map(([, title = "''", lines = '']) => ({
    title: unquote(title),
    statements: lines.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(4)])),
  }))
  return steps.length === 0 ? null : steps
}

function unquote(text: string): string {
  const json = text
    .slice(1, -1)
    .replaceAll(/\\.|"/g, (part) => (part === '"' ? '\\"' : part === "\\'" ? "'" : part))
  return JSON.parse(`"${json}"`)
}

/** Consecutive statements with the same intent form one step. */
export function addStatement(steps: ScriptStep[], title: string, statement: string): void {
  const last = steps.at(-1)
  if (last?.title === title) last.statements.push(statement)
  else steps.push({ title, statements: [statement] })
}
