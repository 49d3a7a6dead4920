// How to start an agent, as commands that can be pasted into a shell.
import { quoteForShell } from '@vedette/as-code/curl'

export interface AgentSettings {
  serverUrl: string
  /** Null: it isn't known any more, and has to be filled in. */
  apiKey: string | null
  /** The region that an agent of the operator serves; null: the key says which private location. */
  region: string | null
}

export const agentWays = ['npx', 'Docker', 'systemd'] as const

export type AgentWay = (typeof agentWays)[number]

export function agentCommand(way: AgentWay, settings: AgentSettings): string {
  const variables = variablesOf(settings)
  const words = variables.map(([name, value]) => `${name}=${quoteIfNeeded(value)}`)
  if (way === 'npx') return `${words.join(' ')} npx vedette agent`
  if (way === 'Docker')
    return [
      'docker run --detach --name vedette-agent --restart unless-stopped',
      '--init --shm-size 1g --volume vedette-agent:/var/lib/vedette',
      ...words.map((word) => `--env ${word}`),
      'vedette-agent',
    ].join(' \\\n  ')
  return [
    `sudo install -D -m 600 /dev/stdin /etc/vedette/agent.env <<'END'`,
    ...variables.map(([name, value]) => `${name}=${value}`),
    'END',
    'sudo useradd --system --home-dir /var/lib/vedette-agent vedette-agent',
    'sudo cp /opt/vedette/deploy/vedette-agent.service /etc/systemd/system/',
    'sudo systemctl enable --now vedette-agent',
  ].join('\n')
}

function variablesOf({ serverUrl, apiKey, region }: AgentSettings): [string, string][] {
  const placeholder = region === null ? 'pl_…' : 'va_…'
  return [
    ['API_KEY', apiKey ?? placeholder],
    ['SERVER_URL', serverUrl],
    ...(region === null ? [] : [['AGENT_LOCATIONS', region] satisfies [string, string]]),
  ]
}

/** Keys and addresses rarely need quotes, and commands are easier to read without. */
function quoteIfNeeded(text: string): string {
  return /^[\w.:/@%+=,…-]*$/.test(text) ? text : quoteForShell(text)
}
