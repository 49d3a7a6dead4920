import { type AnyRoute, ApiError } from '@vedette/contracts'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { handle, mount } from './mount.ts'

const route: AnyRoute = {
  method: 'POST',
  path: '/v1/things',
  tag: 'Things',
  summary: 'Make a thing',
  access: 'public',
  status: 204,
}

async function statusOf(mounted: AnyRoute, checkResponses: boolean): Promise<number> {
  const app = fastify()
  app.setErrorHandler((error, _request, reply) => {
    reply.code(error instanceof ApiError ? error.status : 500).send()
  })
  const conflict = handle(mounted, async () => {
    throw new ApiError('conflict')
  })
  mount(app, conflict, { checkResponses })
  try {
    return (await app.inject({ method: 'POST', url: '/v1/things' })).statusCode
  } finally {
    await app.close()
  }
}

it('fails, in tests, on a status that the document does not name', async () => {
  expect(await statusOf(route, true)).toBe(500)
  expect(await statusOf({ ...route, errors: [409] }, true)).toBe(409)
})

it('lets every status out elsewhere', async () => {
  expect(await statusOf(route, false)).toBe(409)
})
