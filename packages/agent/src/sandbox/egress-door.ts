// Where programs in a cell ask for connections: a socket file in the cell's run folder, one question a connection. What is
// asked comes from strangers.

import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Failure } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { DialContext } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import type { ConnectionFailure } from './cell.ts'
import { Egress, type EgressLimits } from './egress.ts'

const maxQuestionChars = 600
const maxRemembered = 200
/** Half-asked questions do not stay open. */
const questionMs = 10_000
/** Whoever asks more at once is hung up on: the agent has only so many open files for all. */
const maxAskingAtOnce = 512

export interface EgressDoor {
  failures: ConnectionFailure[]
  close(): void
}

export async function openEgressDoor(
  folder: string,
  rules: Pick<DialContext, 'network' | 'lookup'>,
  limits: EgressLimits,
): Promise<EgressDoor> {
  const egress = new Egress(folder, rules, limits, 16)
  const failures: ConnectionFailure[] = []
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.setTimeout(questionMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    socket.setEncoding('utf8')
    let text = ''
    const hangUp = () => socket.destroy()
    socket.on('end', hangUp)
    socket.on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end === -1 && text.length <= maxQuestionChars) return
      socket.removeAllListeners('data').off('end', hangUp)
      socket.setTimeout(0)
      answer(egress, end === -1 ? '' : text.slice(0, end), failures).then((said) =>
        // Whether or not the other side hangs up.
        socket.end(`${said}\n`, () => socket.destroy()),
      )
    })
  })
  server.maxConnections = maxAskingAtOnce
  await listen(server, join(folder, 'egress'))
  return {
    failures,
    close() {
      egress.close()
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

async function answer(egress: Egress, question: string, failures: ConnectionFailure[]): Promise<string> {
  const ended = /^ended (?<name>s\d{1,9})$/.exec(question)?.groups?.name
  if (ended !== undefined) return egress.isBroken(ended) ? 'ok reset' : 'ok end'
  const asked = parse(question)
  if (!asked) return 'no EINVAL this is no question'
  const { host, family, port } = asked
  try {
    const found = port === null ? await egress.resolve(host, family) : await egress.open(host, port, family)
    if (typeof found === 'string') return `ok ${found}`
    if (!isFailure(found)) return `ok ${found.join(',')}`
    if (port !== null && failures.length < maxRemembered) failures.push({ host, port, ...shown(found) })
    return `no ${codeOf(found)} ${found.message.replaceAll(/\s+/g, ' ')}`
  } catch (error) {
    return `no EIO ${errorMessage(error).replaceAll(/\s+/g, ' ')}`
  }
}

function parse(question: string): { host: string; family: number; port: number | null } | null {
  const asked =
    /^(?:open (?<of>[046]) (?<port>\d{1,5})|resolve (?<family>[046])) (?<host>[^\s]{1,255})$/.exec(
      question,
    )?.groups
  if (!asked) return null
  const port = asked.port === undefined ? null : Number(asked.port)
  if (port !== null && (port < 1 || port > 65_535)) return null
  return { host: (asked.host ?? '').replace(/^\[|\]$/g, ''), family: Number(asked.of ?? asked.family), port }
}

const shown = ({ kind, message, code }: Failure) => ({ kind, message, ...(code !== undefined && { code }) })

/** As Node would have named it. */
function codeOf({ kind, code }: Failure): string {
  if (kind === 'dns') return 'ENOTFOUND'
  if (kind === 'blocked') return 'BLOCKED'
  return /^[A-Z0-9_]+$/.test(code ?? '') ? (code as string) : 'ECONNFAILED'
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((settle, fail) => {
    server.once('error', fail)
    // The cell may be another user; the folder's name keeps others out.
    server.listen({ path, readableAll: true, writableAll: true }, settle)
  })
}
