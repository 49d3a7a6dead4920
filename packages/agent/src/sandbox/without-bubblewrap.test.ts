// A host without bubblewrap: in a mount namespace, its program is covered.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { systemTool } from '../core/system-tool.ts'

const run = promisify(execFile)
const doctor = fileURLToPath(new URL('../main-doctor.ts', import.meta.url))
const bwrap = systemTool('bwrap')

interface Finding {
  subject: string
  level: string
  message: string
}

async function isolation(setting: string): Promise<Finding | undefined> {
  const script = 'mount --bind /dev/null "$1" && shift && exec "$@"'
  const command = ['sh', '-c', script, 'sh', bwrap ?? '', process.execPath, doctor]
  const env = { ...process.env, AGENT_SANDBOX: setting }
  const { stdout } = await run('unshare', ['--mount', '--', ...command], { env })
  const findings: Finding[] = JSON.parse(stdout)
  return findings.find(({ subject }) => subject === 'Isolation of code')
}

describe.runIf(process.getuid?.() === 0 && bwrap !== null)('without bubblewrap', () => {
  it.concurrent.each(['auto', 'require'])(
    'no code runs, and it says what to install (%s)',
    async (setting) => {
      expect(await isolation(setting)).toMatchObject({
        level: 'problem',
        message: expect.stringMatching(/^code is not run: .*Debian: apt install bubblewrap/),
      })
    },
  )

  it.concurrent('the weaker level is used only if it was chosen', async () => {
    expect(await isolation('fallback')).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/^Fallback: process, rlimits, user\./),
    })
  })
})
