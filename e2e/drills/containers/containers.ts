// Isolation of code in containers: with the settings of compose.yml it is strong and checks pass; without one of them, the agent names
// the one that is missing.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listen } from '../../target/listen.ts'
import { thisCheckout } from '../fleet.ts'
import { runBoth, startServer } from '../images/images.ts'
import { ensureTools, type Started } from '../images/tools.ts'
import { Podman } from './podman.ts'
import { composeSettings, profileLikeDocker, type Setting } from './settings.ts'

interface Finding {
  subject: string
  message: string
}

interface Case {
  name: string
  options: readonly string[]
  expected: readonly string[]
}

/** The user of the images. */
const imageUser = ['--user', '10001:10001']
const strong = 'Strong:'
/** As in a rootless container. */
const userNamespace = ['--uidmap', '0:200000:65536', '--gidmap', '0:200000:65536']

/** Resolves to the faults; none is the expected outcome. */
export async function containersDrill(log: (line: string) => void): Promise<string[]> {
  ensureTools()
  const podman = await Podman.open()
  try {
    const faults: string[] = []
    const settings = composeSettings('agent')
    const docker = podman.write('docker.json', profileLikeDocker())
    for (const { name, options, expected } of casesOf(settings, docker)) {
      const message = await isolationOf(podman, options)
      log(`${name}: ${message}`)
      const absent = expected.filter((text) => !message.includes(text))
      if (absent.length > 0) faults.push(`${name}: expected ${absent.join(' and ')}`)
    }
    return [...faults, ...(await runInstallation(podman, optionsOf(settings), log))]
  } finally {
    await podman.close()
  }
}

function casesOf(settings: readonly Setting[], dockerProfile: string): Case[] {
  const needed = settings.filter(isNeededHere)
  const user = settings.find(({ name }) => name.startsWith('user:'))
  const bare = needed.filter((setting) => setting !== user)
  return [
    { name: 'with all settings', options: optionsOf(settings), expected: [strong] },
    {
      name: 'with all settings, in a user namespace',
      options: [...optionsOf(settings), ...userNamespace],
      expected: [strong],
    },
    ...needed.map((left) => ({
      name: `without ${left.name}`,
      options: [
        ...optionsOf(settings.filter((setting) => setting !== left)),
        ...(left === user ? imageUser : []),
      ],
      expected: [
        ...(left === user ? ['Isolated as the user of the agent'] : ['code is not run']),
        `Missing for strong isolation: \`${left.name}\``,
      ],
    })),
    { name: 'without any setting', options: [], expected: bare.map(({ name }) => `\`${name}\``) },
    {
      name: 'without any setting, with a profile like that of Docker',
      options: ['--security-opt', `seccomp=${dockerProfile}`],
      expected: ['No permissions to create new namespace', ...bare.map(({ name }) => `\`${name}\``)],
    },
    {
      name: 'without bubblewrap',
      options: [...optionsOf(settings), '--volume', '/dev/null:/usr/bin/bwrap:ro'],
      expected: ['apt install bubblewrap', 'code is not run'],
    },
  ]
}

const optionsOf = (settings: readonly Setting[]) => settings.flatMap(({ options }) => options)

/** Without AppArmor, its setting changes nothing. */
function isNeededHere({ name }: Setting): boolean {
  return !name.includes('apparmor') || existsSync('/sys/kernel/security/apparmor')
}

async function isolationOf(podman: Podman, options: readonly string[]): Promise<string> {
  const output = await podman.output({ options, program: 'packages/agent/src/main-doctor.ts' })
  const findings = JSON.parse(output) as Finding[]
  return findings.find(({ subject }) => subject === 'Isolation of code')?.message ?? 'no finding'
}

/** The runtime is in a directory that only root can traverse, like the data of the images. */
const runtimes = '/var/lib/vedette/runtimes'

async function runInstallation(
  podman: Podman,
  options: readonly string[],
  log: (line: string) => void,
): Promise<string[]> {
  const site = await listen(() =>
    createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>Shop</title>')
    }),
  )
  const source = join(thisCheckout.root, 'node_modules', '.vedette-runtimes')
  let server: Started | null = null
  const start = async (_target: string, environment: Record<string, string>) => {
    server = podman.start({
      options: [...options, '--volume', `${source}:${runtimes}:ro`],
      environment: {
        ...environment,
        ...{ DATA_DIR: '/var/lib/vedette/data', AGENT_RUNTIMES_DIR: runtimes, AGENT_SANDBOX: 'require' },
      },
      program: 'packages/server/src/main.ts',
    })
    return server
  }
  try {
    const api = await startServer(start)
    log('an installation: ready, requires strong isolation')
    const where = { locations: ['eu-west-1'] }
    return await runBoth('container', api, `http://127.0.0.1:${site.port}/`, where, true, log)
  } catch (error) {
    return [(error as Error).stack ?? String(error)]
  } finally {
    await (server as Started | null)?.stop()
    await site.close()
  }
}
