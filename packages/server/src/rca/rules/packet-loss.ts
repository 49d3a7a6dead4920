// Pings are lost.
import { artifacts, type Finding, type Rule, runProof, statement } from '../finding.ts'

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
          ? `${address} responds to no ping.`
          : `${ping.packetLoss} % of the pings to ${address} are lost.`,
        runProof(failing, artifacts.connection, `packet loss ${ping.packetLoss} %`),
      ),
      ...(before
        ? [
            statement(
              `When the check last passed, ${before.facts?.ping?.packetLoss} % were lost.`,
              runProof(before, artifacts.connection, `packet loss ${before.facts?.ping?.packetLoss} %`),
            ),
          ]
        : []),
    ],
    codeFix: isAll
      ? `Check whether ${address} is running, and whether a firewall on the way drops ICMP.`
      : 'Check the load of the network links between the location and the target.',
    explainedBy: ['deployment', 'settings'],
  }
}
