// The check's setup script or the template of its request failed before anything was sent.
import { isCodeType } from '@vedette/contracts'
import { artifacts, type Finding, quote, type Rule, runProof, statement } from '../finding.ts'

export const scriptRule: Rule = ({ failing, passing, checkType }): Finding | null => {
  const failure = failing.facts?.failure
  const isOwn = failure?.kind === 'script' || failure?.code === 'INVALID_URL'
  if (!failure || !isOwn || isCodeType(checkType)) return null
  const [, name, why] = /^[Tt]he setup script "([^\n]*?)" failed: ([\s\S]*)$/.exec(failure.message) ?? []
  // Inline scripts of a check or group have no name.
  const called = name === 'script' ? 'The setup script' : `The setup script “${name}”`
  const lines = Object.entries(failing.facts?.log ?? {}).flatMap(([phase, all]) =>
    all.map((line) => ({ ...line, phase })),
  )
  const last = lines.findLast(({ level }) => level === 'ERROR') ?? lines.at(-1)
  const failureProof = runProof(failing, artifacts.failure, quote(failure.message))
  const logged =
    last && runProof(failing, artifacts.log, `the last line of the ${last.phase} log is ${quote(last.msg)}`)
  const [passed] = passing
  const first =
    name === undefined
      ? statement(
          `The request couldn't be built from the check's settings: ${quote(failure.message)}.`,
          failureProof,
        )
      : statement(
          `${called} failed: ${quote(why ?? '')}. No request was sent.`,
          failureProof,
          ...(logged ? [logged] : []),
        )
  const before =
    passed &&
    statement(
      'It still worked when the check last passed.',
      runProof(passed, artifacts.runs, 'the same check passed'),
    )
  return {
    strength: 95,
    classification: 'CONFIGURATION_ERROR',
    statements: [first, ...(before ? [before] : [])],
    codeFix:
      name === undefined
        ? "Correct the check's request: its URL, its templates and the variables that they use."
        : `Correct ${called.replace('The', 'the')}, or what it depends on: run it separately and inspect the line that the error names.`,
    explainedBy: ['settings', 'deployment'],
  }
}
