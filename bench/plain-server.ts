// The baseline: Fastify with fixed JSON objects from memory.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const bodies = JSON.parse(readFileSync(process.env.BODIES as string, 'utf8')) as Record<string, unknown>
const app = fastify()
for (const [path, body] of Object.entries(bodies)) app.get(path, async () => body)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => app.close())
process.stdout.write('ready\n')
