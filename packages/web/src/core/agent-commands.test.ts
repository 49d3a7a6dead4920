import { describe, expect, it } from 'vitest'
import { agentCommand } from './agent-commands.ts'

const settings = { serverUrl: 'https://vedette.example.com', apiKey: 'pl_abc', region: null }

describe('the command that starts an agent', () => {
  it('is one line with npx', () => {
    expect(agentCommand('npx', settings)).toBe(
      'API_KEY=pl_abc SERVER_URL=https://vedette.example.com npx vedette agent',
    )
  })

  it('keeps data of a container on a volume', () => {
    const text = agentCommand('Docker', settings)
    expect(text).toContain('--volume vedette-agent:/var/lib/vedette')
    expect(text).toContain('--env API_KEY=pl_abc')
  })

  it('writes the key into a file that only root reads', () => {
    const text = agentCommand('systemd', settings)
    expect(text).toContain("install -D -m 600 /dev/stdin /etc/vedette/agent.env <<'END'\nAPI_KEY=pl_abc\n")
  })

  it('leaves a gap for a key that is no longer known', () => {
    expect(agentCommand('npx', { ...settings, apiKey: null })).toContain('API_KEY=pl_… ')
    expect(agentCommand('npx', { ...settings, apiKey: null, region: 'eu-west-1' })).toContain(
      'API_KEY=va_… SERVER_URL=https://vedette.example.com AGENT_LOCATIONS=eu-west-1 ',
    )
  })

  it('quotes what a shell would read', () => {
    expect(agentCommand('npx', { ...settings, serverUrl: 'http://a b/$x' })).toContain(
      "SERVER_URL='http://a b/$x'",
    )
  })
})
