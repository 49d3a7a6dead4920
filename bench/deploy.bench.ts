// CPU of server and PostgreSQL for deploying a project of 1,000 checks, and for deploying it again without a change.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { cpuSeconds, postgresOf, startVedette } from './server-process.ts'

const checkCount = Number(process.env.BENCH_CHECKS ?? 1000)
const goals = { first: 15, unchanged: 3 }

const member = (type: string, logicalId: string, payload: object) => ({
  type,
  logicalId,
  member: true,
  payload,
  sourceFile: `__checks__/${logicalId}.check.ts`,
})

const shared = {
  frequency: 10,
  locations: ['eu-west-1'],
  tags: ['bench'],
  useGlobalAlertSettings: true,
  runParallel: false,
}

/** Seven of ten check a URL, two call an API, and one is a script with files that all of them share. */
function checkOf(index: number): object {
  const name = `Check ${index}`
  const groupId = { ref: `group-${index % 10}` }
  const url = `https://shop.example.com/${index}`
  if (index % 10 === 0) {
    const script = `import { test } from '@playwright/test'\ntest('${index}', async ({ page }) => { await page.goto('${url}') })\n`
    const path = `__checks__/${index}.spec.ts`
    return {
      ...shared,
      name,
      groupId,
      checkType: 'BROWSER',
      script,
      scriptPath: path,
      dependencies: [0, 1, 2],
      snapshots: [],
    }
  }
  const assertions = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null },
  ]
  if (index % 10 > 2)
    return { ...shared, name, groupId, checkType: 'URL', request: { url, method: 'GET', assertions } }
  const environmentVariables = [{ key: 'TOKEN', value: `secret ${index}`, secret: true }]
  const headers = [{ key: 'authorization', value: 'Bearer {{TOKEN}}', locked: true }]
  return {
    ...shared,
    name,
    groupId,
    checkType: 'API',
    environmentVariables,
    request: { url, method: 'GET', headers, assertions },
  }
}

const checks = Array.from({ length: checkCount }, (_, index) =>
  member('check', `check-${index}`, checkOf(index)),
)
const groups = Array.from({ length: 10 }, (_, index) =>
  member('check-group', `group-${index}`, {
    name: `Group ${index}`,
    tags: [],
    locations: ['eu-west-1'],
    v: 2,
  }),
)
const channel = member('alert-channel', 'mail', { type: 'EMAIL', config: { address: 'ops@example.com' } })
const subscriptions = checks.map(({ logicalId }) =>
  member('alert-channel-subscription', `subscription#${logicalId}`, {
    alertChannelId: { ref: 'mail' },
    checkId: { ref: logicalId },
    activated: true,
  }),
)
const project = {
  project: { logicalId: 'bench', name: 'Bench' },
  sharedFiles: [0, 1, 2].map((index) => ({
    path: `__checks__/lib/${index}.ts`,
    content: `// ${'x'.repeat(20_000)}\n`,
  })),
  resources: [...groups, ...checks, channel, ...subscriptions],
  repoInfo: null,
}

const vedette = await startVedette()
const usedSeconds = () => cpuSeconds([vedette.pid, ...postgresOf(vedette)])
const missed: string[] = []
try {
  for (const [name, goal] of Object.entries(goals)) {
    const [before, startedAt, own] = [usedSeconds(), performance.now(), process.cpuUsage()]
    const { changes, bytes } = await deploy()
    const used = usedSeconds() - before
    const elapsed = (performance.now() - startedAt) / 1000
    const { user, system } = process.cpuUsage(own)
    if (used > goal) missed.push(name)
    console.log(
      `${name}: ${checkCount} checks, ${changes} resources, ${(bytes / 1024).toFixed(0)} kB sent: ${used.toFixed(2)} s of CPU ` +
        `(goal ${goal} s), ${elapsed.toFixed(1)} s in all; the client takes ${((user + system) / 1e6).toFixed(2)} s of CPU — ` +
        `${used <= goal ? 'met' : 'MISSED'}`,
    )
  }
} finally {
  await vedette.stop()
}
console.log(missed.length === 0 ? 'all goals met' : `MISSED: ${missed.join(', ')}`)
process.exitCode = missed.length === 0 ? 0 : 1

/** As clients do: compressed, and followed until its end. */
async function deploy(): Promise<{ changes: number; bytes: number }> {
  const body = await promisify(gzip)(JSON.stringify(project))
  const authorization = `Bearer ${vedette.key}`
  const headers = { authorization, 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const accepted = await fetch(`${vedette.url}/v1/projects/deploy?dryRun=false`, {
    method: 'POST',
    headers,
    body,
  })
  if (accepted.status !== 202) throw new Error(await accepted.text())
  const { id } = Object(await accepted.json())
  const events = await fetch(`${vedette.url}/v1/projects/bench/deployments/${id}/events`, {
    headers: { authorization },
  })
  const text = await events.text()
  const { status, result, error } = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6))
  if (status !== 'SUCCEEDED') throw new Error(`${status}: ${error?.message}`)
  return { changes: result.diff.length, bytes: body.length }
}
