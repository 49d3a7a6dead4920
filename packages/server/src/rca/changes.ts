// Changes between the last passing run and the first failing one, which may explain the cause.
import type { Change, Evidence } from './evidence.ts'
import { artifacts, isoTime, proof, type Statement, statement } from './finding.ts'

const most = 3

export function changeStatements(
  { changes, beganAt }: Evidence,
  kinds: readonly Change['kind'][],
): Statement[] {
  return changes
    .filter(({ kind }) => kinds.includes(kind))
    .sort((a, b) => Math.abs(beganAt - a.at) - Math.abs(beganAt - b.at))
    .slice(0, most)
    .map((change) => {
      const [artifact, verb] =
        change.kind === 'deployment'
          ? ([artifacts.deployment, 'was marked'] as const)
          : ([artifacts.settings, 'changed'] as const)
      return statement(
        `It began ${relativeTime(change.at, beganAt)} ${change.what} ${verb}.`,
        proof(
          artifact,
          `${change.what} ${verb} at ${isoTime(change.at)}; the first failing run was at ${isoTime(beganAt)}`,
        ),
      )
    })
}

function relativeTime(at: number, beganAt: number): string {
  const seconds = Math.round(Math.abs(beganAt - at) / 1000)
  const amount =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3600)} h`
  return at <= beganAt ? `${amount} after` : `${amount} before`
}
