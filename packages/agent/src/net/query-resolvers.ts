// Queries each name server of this machine for a name. For evidence, not for lookups.
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { queryDns } from './dns-query.ts'
import { replyToJson, returnCodeOf } from './dns-reply.ts'
import { isFailure } from './failure.ts'
import { isLocalhost } from './hosts-file.ts'
import { splitServer, stripBrackets } from './split-server.ts'
import { roundMs } from './timings.ts'

export interface ResolverReply {
  server: string
  type: 'A' | 'AAAA'
  /** NOERROR, NXDOMAIN, SERVFAIL, …; without a reply the code of the failure: TIMEOUT, ECONNREFUSED. */
  code: string
  addresses: string[]
  /** The targets of CNAME records. */
  aliases: string[]
  durationMs: number
}

const maxServers = 3
const types = ['A', 'AAAA'] as const
/** The address policy is about targets; the operator chooses the name servers. */
const anyAddress = { refusalOf: () => null }

export async function queryResolvers(
  host: string,
  context: { signal: AbortSignal; monotonic(): number },
  servers: readonly string[] = getServers(),
  timeoutMs = 1_500,
): Promise<ResolverReply[]> {
  const name = domainToASCII(host.replace(/\.$/, '')) || host
  if (isIP(stripBrackets(host)) !== 0 || isLocalhost(name)) return []
  const queries = servers.slice(0, maxServers).flatMap((server) => types.map((type) => ({ server, type })))
  return Promise.all(
    queries.map(async ({ server, type }) => {
      const { host: address, port = 53 } = splitServer(server)
      const begun = context.monotonic()
      const reply = await queryDns(
        { question: { name, type }, server: { address, port }, protocol: 'UDP', timeoutMs },
        { ...context, network: anyAddress },
      )
      const durationMs = roundMs(context.monotonic() - begun)
      if (isFailure(reply)) {
        return { server, type, code: reply.code ?? reply.kind, addresses: [], aliases: [], durationMs }
      }
      const records = replyToJson(reply.packet).Answer
      const dataOf = (wanted: string) =>
        records.filter((record) => record.type === wanted).map(({ data }) => data)
      const code = returnCodeOf(reply.packet)
      return { server, type, code, addresses: dataOf(type), aliases: dataOf('CNAME'), durationMs }
    }),
  )
}
