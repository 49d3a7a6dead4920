// Pings get lost on the way.
import { artifacts, type Finding, type Rule, shows, statement } from '../finding.ts'

export const packetLossRule: Rule = ({ failing, passing }): Finding | null => {
  const ping = failing.facts?.ping
  if (failing.failure?.kind !== 'packet_loss' || !ping) return null
  const before = passing.find((run) => run.facts?.ping)
  const address = ping.resolvedIp ?? 'the target'
  const isAll = ping.packetLoss >= 100
  return {
    strength: 70,
    classification: 'NETWORK_ERROR',
    statements: [
      statement(
        isAll
          ? `No ping to ${address} is answered.`
          : `${ping.packetLoss} % of the pings to ${address} get lost.`,
        shows(failing, artifacts.connection, `packet loss ${ping.packetLoss} %`),
      ),
      ...(before
        ? [
            statement(
              `When the check passed, ${before.facts?.ping?.packetLoss} % got lost.`,
              shows(before, artifacts.connection, `packet loss ${before.facts?.ping?.packetLoss} %`),
            ),
          ]
        : []),
    ],
    codeFix: isAll
      ? `Look whether ${address} is up, and whether something on the way drops ICMP.`
      : 'Look at the load of the links between the location and the target.',
    explainedBy: ['deployment', 'settings'],
  }
}
