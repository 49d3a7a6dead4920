// Routes about the server itself: its health and its API document.
import { z } from 'zod'
import { route } from './route.ts'

const tag = 'Platform'
const State = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

export const getHealth = route({
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Is the process alive?',
  description: 'Never waits for the database, and is never rate-limited.',
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
    "Responds with 503 while the database can't be reached or the server is stopping. Never waits for the database: it is " +
    'probed every second, and a probe that takes longer than two seconds counts as failed.',
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
  summary: 'This document at its older path',
  access: 'public',
  status: 200,
  response: z.looseObject({ openapi: z.string() }),
  deprecated: true,
  // RFC 9745: when the older path was deprecated.
  headers: { deprecation: '@1778544000', link: '</openapi.json>; rel="successor-version"' },
})
