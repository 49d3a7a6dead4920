import { z } from 'zod'
import { route } from '../core/route.ts'

export const PublicLocation = z.object({ region: z.string(), name: z.string() }).meta({
  id: 'PublicLocation',
  examples: [{ region: 'eu-west-1', name: 'Ireland' }],
})

export const listLocations = route({
  method: 'GET',
  path: '/v1/locations',
  tag: 'Locations',
  summary: 'List the data-center locations',
  access: 'public',
  status: 200,
  response: z.array(PublicLocation),
})
