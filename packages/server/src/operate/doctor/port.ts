import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Finding } from '@vedette/contracts'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { Config } from '../../config.ts'

export async function checkPort({ PORT, HOST }: Config, isServerRunning: boolean): Promise<Finding[]> {
  if (PORT === 0) return []
  const subject = 'Port'
  const failure = await tryToListen(PORT, HOST)
  if (failure === null) {
    const message = isServerRunning
      ? `Nothing listens on port ${PORT}, and a server runs: it listens on another port or machine.`
      : `Port ${PORT} is free.`
    return [{ subject, level: 'ok', message }]
  }
  if (errorCode(failure) !== 'EADDRINUSE') {
    const message = `The server can't listen on ${HOST}:${PORT}: ${errorMessage(failure)}.`
    return [{ subject, level: 'problem', message, fix: 'Set HOST and PORT to an address of this machine.' }]
  }
  if (isServerRunning) return [{ subject, level: 'ok', message: `The server listens on port ${PORT}.` }]
  const message = `Another program uses port ${PORT}: the server can't start.`
  const fix = `Stop that program (ss -ltnp 'sport = :${PORT}' shows it), or set PORT to another number.`
  return [{ subject, level: 'problem', message, fix }]
}

/** Null: it's possible. */
async function tryToListen(port: number, host: string): Promise<unknown> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    server.close()
    return null
  } catch (error) {
    return error
  }
}
