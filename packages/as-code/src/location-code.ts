// The request that creates a private location. Credentials of its proxy become an environment variable.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { Reference } from './source.ts'

interface LocationFields {
  name: string
  slugName: string
  icon: string
  proxyUrl: string | null
}

export function locationAsCurl(location: LocationFields, server: ServerAddress): string {
  return creationAsCurl(server, '/v1/private-locations', definitionOf(location))
}

function definitionOf({ name, slugName, icon, proxyUrl }: LocationFields): Record<string, unknown> {
  const hasCredentials = proxyUrl?.includes('@') ?? false
  return {
    name,
    slugName,
    ...(icon === 'location' ? {} : { icon }),
    ...(proxyUrl === null ? {} : { proxyUrl: hasCredentials ? new Reference('PROXY_URL') : proxyUrl }),
  }
}
