// Routes about the server itself: health and its own description.
import { z } from 'zod'
import { route } from './route.ts'

const tag = 'Platform'
const State = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

export const getHealth = route({
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Is the process alive?',
  description: 'Never waits for the store, and is never limited.',
  access: 'public',
  isUnlimited: true,
  status: 200,
  response: State,
})

export const getReadiness = route({
  method: 'GET',
  path: '/readyz',
  tag,
  summary: 'Can it serve requests?',
  description:
    'Answers 503 while the store cannot be reached or the server is stopping. Never waits for the store: it is probed every ' +
    'second, and a probe that takes longer than two seconds counts as a failed one.',
  access: 'public',
  isUnlimited: true,
  status: 200,
  response: State,
  errors: [503],
})

export const getOpenApi = route({
  method: 'GET',
  path: '/openapi.json',
  tag,
  summary: 'This document',
  access: 'public',
  status: 200,
  response: z.looseObject({ openapi: z.string() }),
})

export const getSwagger = route({
  method: 'GET',
  path: '/swagger.json',
  tag,
  summary: 'This document under its older address',
  access: 'public',
  status: 200,
  response: z.looseObject({ openapi: z.string() }),
  deprecated: true,
  // RFC 9745: the moment since which the older address is deprecated.
  headers: { deprecation: '@1778544000', link: '</openapi.json>; rel="successor-version"' },
})
