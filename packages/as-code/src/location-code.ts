// A private location as code. Credentials of its proxy become an environment variable.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { Reference, toSource } from './source.ts'

interface LocationFields {
  name: string
  slugName: string
  icon: string
  proxyUrl: string | null
}

export function locationAsConstruct(location: LocationFields): string {
  return [
    "import { PrivateLocation } from 'checkly/constructs'\n",
    `new PrivateLocation('${location.slugName}', ${toSource(definitionOf(location))})\n`,
  ].join('\n')
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
