import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Installation, type Running } from '../installation.ts'

describe('the built-in agent', { timeout: 120_000 }, () => {
  let installation: Installation
  let running: Running
  const environment = { SECRET_KEY: 'a secret that no agent may see', AGENT_HEALTH_PORT: '0' }

  beforeAll(async () => {
    installation = await Installation.create()
    running = await installation.start(environment)
  }, 120_000)
  afterAll(() => installation.remove())

  /** One line of the operator's metrics. */
  async function metric(name: string): Promise<number | null> {
    const response = await fetch(`http://127.0.0.1:${installation.port}/metrics`)
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `))
    return line === undefined ? null : Number(line.split(' ').at(-1))
  }

  /** The timeout of the test limits it. */
  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await sleep(100)
  }

  const commandOf = (pid: number) => readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  const agents = () => running.processes().filter((pid) => /agent\/src\/main\.ts/.test(commandOf(pid)))

  it('connects by itself, and has no access to the store', async () => {
    await until(async () => (await metric('vedette_agents{kind="built-in"}')) === 1)
    expect(agents()).toHaveLength(1)
    const known = readQuietly(`/proc/${agents()[0]}/environ`)
    expect(known).toContain('API_KEY=va_')
    expect(known).not.toContain('SECRET_KEY')
    expect(known).not.toContain(environment.SECRET_KEY)
  })

  it('is restarted when it dies', async () => {
    const [first] = agents()
    process.kill(first as number, 'SIGKILL')
    await until(async () => (await metric('vedette_built_in_agent_starts_total')) === 2)
    await until(async () => agents().some((pid) => pid !== first))
    expect(running.errors()).toContain('built-in-agent.died')
  })

  it('ends with the server', async () => {
    expect(await running.terminate('SIGTERM', 'npm')).toBe(0)
    expect(agents()).toEqual([])
  })

  it('is not started with AGENT=off', async () => {
    running = await installation.start({ ...environment, AGENT: 'off' })
    expect(await metric('vedette_built_in_agent_starts_total')).toBeNull()
    expect(agents()).toEqual([])
  })
})

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
