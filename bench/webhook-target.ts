// Counts the messages of a webhook channel: all, distinct ones, the checks that they are about, and
// the time of the last one. A second port returns the counts, resets them, or delays responses.
import { createServer, type ServerResponse } from 'node:http'

const ids = new Set<string>()
const checks = new Set<string>()
const types: Record<string, number> = {}
let messages = 0
let lastAt = 0
let isHolding = false
const held: ServerResponse[] = []

const target = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { checkId, alertType } = JSON.parse(text) as { checkId: string; alertType: string }
  messages += 1
  lastAt = Date.now()
  ids.add(String(request.headers['x-vedette-id']))
  checks.add(checkId)
  types[alertType] = (types[alertType] ?? 0) + 1
  if (isHolding) held.push(response)
  else response.end('ok')
})

const orders: Record<string, () => void> = {
  '/hold': () => {
    isHolding = true
  },
  '/release': () => {
    isHolding = false
    for (const response of held.splice(0)) response.end('ok')
  },
  '/begin': () => {
    ids.clear()
    checks.clear()
    for (const type of Object.keys(types)) delete types[type]
    messages = 0
  },
}

const teller = createServer((request, response) => {
  orders[request.url ?? '']?.()
  response.end(JSON.stringify({ messages, ids: ids.size, checks: checks.size, types, lastAt }))
})

// The client closes idle connections: no connection is closed during a call.
target.keepAliveTimeout = 60_000
target.listen(Number(process.env.TARGET_PORT), '127.0.0.1', 4096, () =>
  teller.listen(Number(process.env.TELLER_PORT), '127.0.0.1', () => process.stdout.write('ready\n')),
)
process.on('SIGTERM', () => process.exit(0))
