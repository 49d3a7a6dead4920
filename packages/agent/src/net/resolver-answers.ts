// What each of this machine's name servers says about a name, one by one: evidence, not a lookup.
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { jsonAnswer, returnCodeOf } from './dns-answer.ts'
import { queryDns } from './dns-query.ts'
import { isFailure } from './failure.ts'
import { isLocalhost } from './hosts-file.ts'
import { splitServer } from './split-server.ts'
import { roundMs } from './timings.ts'

export interface ResolverAnswer {
  server: string
  type: 'A' | 'AAAA'
  /** NOERROR, NXDOMAIN, SERVFAIL, …; without an answer the failure's: TIMEOUT, ECONNREFUSED. */
  code: string
  addresses: string[]
  /** The names on the way, where the name is an alias. */
  aliases: string[]
  durationMs: number
}

const maxServers = 3
const types = ['A', 'AAAA'] as const
/** These servers are the operator's choice and are asked in every run: the rules are about targets. */
const anyAddress = { refusalOf: () => null }

export async function resolverAnswers(
  host: string,
  context: { signal: AbortSignal; monotonic(): number },
  servers: readonly string[] = getServers(),
  timeoutMs = 1_500,
): Promise<ResolverAnswer[]> {
  const name = domainToASCII(host.replace(/\.$/, '')) || host
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 || isLocalhost(name)) return []
  const asked = servers.slice(0, maxServers).flatMap((server) => types.map((type) => ({ server, type })))
  return Promise.all(
    asked.map(async ({ server, type }) => {
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
      const records = jsonAnswer(reply.packet).Answer
      const dataOf = (wanted: string) =>
        records.filter((record) => record.type === wanted).map(({ data }) => data)
      const code = returnCodeOf(reply.packet)
      return { server, type, code, addresses: dataOf(type), aliases: dataOf('CNAME'), durationMs }
    }),
  )
}
