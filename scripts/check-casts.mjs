// Counts type assertions (`x as T`, except `as const`) in production code: each one disables the compiler for a value.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, visitorKeys } from 'oxc-parser'

/** Lower it whenever the count falls; never raise it. */
const limit = 60

export function countCasts(file, text) {
  let count = 0
  const visit = (node) => {
    if (node.type === 'TSAsExpression' && node.typeAnnotation.typeName?.name !== 'const') count += 1
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [node[key]].flat()) if (child) visit(child)
    }
  }
  visit(parseSync(file, text).program)
  return count
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const isTest = (file) => /\.(test|story|fixture|conformance)\.|\/testing\//.test(file)
  const files = globSync('packages/*/src/**/*.{ts,tsx,mts,cts}', { cwd: root }).filter(
    (file) => !isTest(file),
  )
  const counts = files.map((file) => ({
    file,
    casts: countCasts(file, readFileSync(join(root, file), 'utf8')),
  }))
  const total = counts.reduce((sum, { casts }) => sum + casts, 0)
  if (total > limit || process.argv.includes('--list')) {
    for (const { file, casts } of counts.sort((a, b) => b.casts - a.casts).slice(0, 20)) {
      console.error(`${String(casts).padStart(4)}  ${file}`)
    }
  }
  console.log(`casts: ${total} in ${files.length} files, at most ${limit}`)
  process.exitCode = total > limit || files.length === 0 ? 1 : 0
}
