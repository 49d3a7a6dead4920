// The server that commands talk to: whether it responds, what the key is worth, and whether agents run the checks.
import {
  createClient,
  type Finding,
  getAccountForCli,
  getMeForCli,
  getReadiness,
  type LocationStatus,
  listLocationStatuses,
} from '@vedette/contracts'
import type { Settings } from '../config.ts'
import { CommandError, type Connection, readConnection } from '../core/connection.ts'
import { callServer } from '../core/server-calls.ts'

const clockToleranceMs = 5_000

export async function checkConnection(settings: Settings): Promise<Finding[]> {
  let connection: Connection
  try {
    connection = readConnection({}, settings)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return [{ subject: 'Login', level: 'ok', message: `None. ${error.message}` }]
  }
  const { url, apiKey, accountId } = connection
  let clockDifferenceMs: number | null = null
  const client = createClient({
    baseUrl: url,
    apiKey,
    accountId,
    timeoutMs: 10_000,
    onResponse: ({ headers }) => {
      const date = headers.get('date')
      if (date !== null) clockDifferenceMs = Date.parse(date) - Date.now()
    },
  })
  const findings: Finding[] = []
  const step = (subject: string, fix: string, work: () => Promise<Finding[]>) =>
    callServer(url, work).then(
      (found) => findings.push(...found) > 0,
      (error: Error) => {
        findings.push({ subject, level: 'problem', message: error.message, fix })
        return false
      },
    )
  const isReady = await step('Server', `Start it, or correct the address: vedette login.`, async () => {
    await client.call(getReadiness)
    return [
      { subject: 'Server', level: 'ok', message: `${url} responds.` },
      ...clockFindings(clockDifferenceMs),
    ]
  })
  if (!isReady) return findings
  const login = `vedette login --url ${url}`
  const isKnown = await step('API key', login, async () => {
    const { name, email } = await client.call(getMeForCli)
    return [{ subject: 'API key', level: 'ok', message: `Belongs to ${name ?? email ?? 'an account'}.` }]
  })
  if (!isKnown) return findings
  const isReached = await step('Account', login, async () => {
    const { name } = await client.call(getAccountForCli, { params: { accountId } })
    return [{ subject: 'Account', level: 'ok', message: `"${name}" (${accountId}).` }]
  })
  if (!isReached) return findings
  await step('Locations', login, async () => locationFindings(await client.call(listLocationStatuses)))
  return findings
}

function clockFindings(differenceMs: number | null): Finding[] {
  // Date headers have whole seconds.
  if (differenceMs === null || Math.abs(differenceMs) <= clockToleranceMs) return []
  const message = `The clock of the server differs from this one by ${(differenceMs / 1000).toFixed(0)} s.`
  return [
    { subject: 'Clock', level: 'warning', message, fix: 'Set both with NTP: timedatectl set-ntp true.' },
  ]
}

/** Locations without checks need no agent. */
export function locationFindings(statuses: readonly LocationStatus[]): Finding[] {
  const isRunning = ({ state }: { state: string }) => state === 'running'
  const used = statuses.filter(({ checkCount }) => checkCount > 0)
  const unserved = used.filter(({ agents }) => !agents.some(isRunning))
  const outdated = new Set(
    statuses.flatMap(({ agents }) =>
      agents.filter((agent) => isRunning(agent) && agent.isOutdated).map(({ name, id }) => name ?? id),
    ),
  )
  return [
    ...unserved.map(({ location, checkCount, alarm }): Finding => {
      const since = alarm === null ? '' : ` since ${alarm.openedAt}`
      return {
        subject: 'Location',
        level: 'problem',
        message: `No agent is connected for ${location}${since}: ${checkCount} checks don't run there.`,
        fix: 'Start an agent with the key of the location: API_KEY=… SERVER_URL=… vedette agent.',
      }
    }),
    ...[...outdated].map(
      (name): Finding => ({
        subject: 'Agent',
        level: 'warning',
        message: `${name} has another version than the server.`,
        fix: 'Upgrade it.',
      }),
    ),
    ...(unserved.length === 0
      ? [
          {
            subject: 'Locations',
            level: 'ok' as const,
            message:
              used.length === 0
                ? 'No location has checks yet.'
                : `Agents are connected for every location that has checks (${used.length}).`,
          },
        ]
      : []),
  ]
}
