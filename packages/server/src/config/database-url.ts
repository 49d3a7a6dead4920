// The URL of a PostgreSQL. It may name several hosts, as libpq allows; node-postgres connects to one host only.

export interface DatabaseHost {
  /** Host and port, without user and password. */
  label: string
  /** A URL with this host only. */
  connectionString: string
}

export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError'
}

/** The hosts of `postgres://user:password@a:5432,b:5432/name`, or of `postgres://user:password@/name?host=a,b&port=5432`. */
export function databaseHostsOf(url: string): DatabaseHost[] {
  const match = /^(postgres(?:ql)?:\/\/)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?/.exec(url)
  if (match === null) throw new DatabaseUrlError('must begin with postgres:// or postgresql://')
  const [, scheme = '', authority = '', path = '', search] = match
  const query = new URLSearchParams(search)
  refuseOtherSessions(query.get('target_session_attrs'))
  const userEnd = authority.lastIndexOf('@') + 1
  const endpoints = query.has('host')
    ? endpointsOfQuery(query.get('host') ?? '', query.get('port') ?? '')
    : endpointsOfAuthority(authority.slice(userEnd))
  const [only] = endpoints
  if (endpoints.length === 1 && only !== undefined) return [{ label: labelOf(only), connectionString: url }]
  return endpoints.map((endpoint, index) => {
    if (endpoint.host === '') throw new DatabaseUrlError(`must name host ${index + 1} of its list`)
    const own = new URLSearchParams(query)
    own.set('host', endpoint.host)
    own.set('port', endpoint.port || '5432')
    return {
      label: labelOf(endpoint),
      connectionString: `${scheme}${authority.slice(0, userEnd)}${path || '/'}?${own}`,
    }
  })
}

interface Endpoint {
  host: string
  port: string
}

function endpointsOfAuthority(text: string): Endpoint[] {
  return text.split(',').map((part, index) => {
    const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(part)
    const [, host = '', port = ''] = match ?? []
    checkPort(match === null ? 'none' : port, index)
    return { host: decode(host.replace(/^\[(.*)\]$/, '$1'), index), port }
  })
}

function endpointsOfQuery(hosts: string, ports: string): Endpoint[] {
  const names = hosts.split(',')
  const numbers = ports.split(',')
  if (numbers.length !== 1 && numbers.length !== names.length) {
    throw new DatabaseUrlError(
      `must have one port for all hosts, or one for each: it has ${numbers.length} for ${names.length} hosts`,
    )
  }
  return names.map((host, index) => {
    const port = numbers[numbers.length === 1 ? 0 : index] ?? ''
    checkPort(port, index)
    return { host, port }
  })
}

/** The values aren't printed: where a password contains / or @, they are parts of it. */
function checkPort(port: string, index: number): void {
  if (port === '' || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) return
  throw new DatabaseUrlError(
    `must have a port from 1 to 65535 at host ${index + 1}: postgres://user:password@host:5432/name. ` +
      'Encode special characters of the password: / is %2F, @ is %40, : is %3A',
  )
}

function decode(host: string, index: number): string {
  try {
    return decodeURIComponent(host)
  } catch {
    throw new DatabaseUrlError(`must have a valid name at host ${index + 1}`)
  }
}

function refuseOtherSessions(attributes: string | null): void {
  if (attributes === null || attributes === 'read-write' || attributes === 'primary') return
  throw new DatabaseUrlError(
    'must have target_session_attrs=read-write or none: the server always needs the primary',
  )
}

function labelOf({ host, port }: Endpoint): string {
  const name = host.includes(':') ? `[${host}]` : host || 'localhost'
  return `${name}:${port || '5432'}`
}
