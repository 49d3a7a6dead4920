// The alert rules of deploy/prometheus: each has a test file, in which it fires and in which it doesn't.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const run = promisify(execFile)
const rules = fileURLToPath(new URL('../../../deploy/prometheus/vedette.rules.yml', import.meta.url))
const folder = fileURLToPath(new URL('rules', import.meta.url))
const files = readdirSync(folder)

it('promtool accepts the rules', async () => {
  const { stdout } = await run('promtool', ['check', 'rules', rules])
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
})

it('every alert has a test, and says what happened and how bad it is', () => {
  const groups: { rules: { alert: string; labels: { severity: string }; annotations: object }[] }[] = parse(
    readFileSync(rules, 'utf8'),
  ).groups
  const alerts = groups.flatMap((group) => group.rules)
  expect(alerts.map(({ alert }) => `${alert}.yml`).sort()).toEqual(files.toSorted())
  for (const { labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(Object.keys(annotations)).toEqual(['summary', 'description'])
  }
})

it.each(files)('%s', async (file) => {
  const { stdout } = await run('promtool', ['test', 'rules', file], { cwd: folder })
  expect(stdout).toContain('SUCCESS')
})
