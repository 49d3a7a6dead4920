// Runs the checks of the server and of the agent, which are programs of their own, and checks the connection.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Finding, FindingLevel } from '@vedette/contracts'
import type { ClientCommand, Input, Output } from '../core/client-command.ts'
import { checkConnection } from './check-connection.ts'

export const doctor: ClientCommand = {
  usage: 'doctor',
  summary:
    'checks the installation on this machine and the server of the login, and says how to fix what is wrong',
  options: {},
  run: examine,
}

interface Section {
  title: string
  findings: Finding[]
}

async function examine({ settings, terminal }: Input): Promise<Output> {
  terminal.progress('checking…')
  const [installation, machine, connection] = await Promise.all([
    runChecks('@vedette/server/operate', ['doctor', '--json']),
    runChecks('@vedette/agent/doctor', []),
    checkConnection(settings),
  ])
  const node: Finding = { subject: 'Node.js', level: 'ok', message: `${process.version}, needs 24 or newer.` }
  const sections: Section[] = [
    { title: 'Installation', findings: [node, ...installation] },
    { title: 'Runs of code on this machine', findings: machine },
    { title: 'Connection', findings: connection },
  ]
  const count = (level: FindingLevel) =>
    sections.flatMap(({ findings }) => findings).filter((finding) => finding.level === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const summary = `${problems} problem${problems === 1 ? '' : 's'}, ${warnings} warning${warnings === 1 ? '' : 's'}`
  return {
    json: { problems, warnings, sections },
    text: [...sections.map(formatSection), `${summary}.`].join('\n\n'),
    exitCode: problems > 0 ? 1 : 0,
  }
}

/** A program that ends without findings is a problem itself: its settings are wrong, for instance. */
function runChecks(program: string, args: string[]): Promise<Finding[]> {
  const file = fileURLToPath(import.meta.resolve(program))
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { timeout: 120_000 }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout))
      } catch {
        const reason = stderr.trim() || error?.message || 'it printed nothing'
        const message = stripVTControlCharacters(reason).replace(/^vedette: /, '')
        resolve([{ subject: 'Settings', level: 'problem', message, fix: 'Correct them and run this again.' }])
      }
    })
  })
}

function formatSection({ title, findings }: Section): string {
  const lines = findings.map(({ subject, level, message, fix }) => {
    const line = `  ${level.padEnd(9)}${subject}: ${message.replaceAll('\n', '\n           ')}`
    return fix === undefined ? line : `${line}\n           → ${fix}`
  })
  return [title, ...lines].join('\n')
}
