import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTcpMonitor } from '@vedette/contracts'
import pg from 'pg'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { TcpPort } from '../../target/tcp-port.ts'
import { fails, planted, requestAnalysis } from './analyzed-check.ts'
import type { Bakery } from './bakery.ts'

export function withoutEvidence(scene: Scene, bakery: Bakery): void {
  it('is unknown if an assertion has never held', async () => {
    const { account } = scene
    const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'croissants' }]
    const id = await bakery.check('/window', 'ap-southeast-3', { assertions })
    await fails(account, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('UNKNOWN_ERROR')
    expect(analysis.rootCause).toMatch(/^The cause is unknown\. The run failed with “.*croissants.*”\. \[1\]/)
    expect(analysis.rootCause).toContain(
      'The following is missing to determine it: a passing run of the check to compare with',
    )
    expect(analysis.codeFix).toBeNull()
    expect(analysis.evidence).toHaveLength(1)
  })

  it('is unknown if no evidence of the run is left', async () => {
    const { account } = scene
    const port = await TcpPort.open()
    await port.shut()
    const { id } = await account.call(createTcpMonitor, {
      body: { ...planted('Cellar', 'ca-central-1'), request: { hostname: '127.0.0.1', port: port.port } },
    })
    await fails(account, id)
    await forgetDetails(scene.installation.dataDir, id)
    const { analysis } = await requestAnalysis(account, id)
    expect(analysis.classification).toBe('UNKNOWN_ERROR')
    expect(analysis.rootCause).toMatch(/^The cause is unknown\. /)
    expect(analysis.rootCause).toContain(
      'The following is missing to determine it: the details of the failing run',
    )
    expect(analysis.codeFix).toBeNull()
    expect(analysis.evidence).toHaveLength(1)
  })
}

/** As if their retention had ended. Connects to the embedded PostgreSQL through the socket in its postmaster.pid. */
async function forgetDetails(dataDir: string, checkId: string): Promise<void> {
  const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] as string
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  const client = new pg.Client({ host, port: 5432, user: 'vedette', password, database: 'vedette' })
  await client.connect()
  try {
    const { rowCount } = await client.query('delete from result_details where check_id = $1', [checkId])
    expect(rowCount).toBe(1)
  } finally {
    await client.end()
  }
}
