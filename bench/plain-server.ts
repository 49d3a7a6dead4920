// The yardstick: Fastify answering fixed JSON objects from memory.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const answers = JSON.parse(readFileSync(process.env.ANSWERS as string, 'utf8')) as Record<string, unknown>
const app = fastify()
for (const [path, answer] of Object.entries(answers)) app.get(path, async () => answer)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => app.close())
process.stdout.write('ready\n')
