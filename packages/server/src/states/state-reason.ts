// The sentence that explains the state of a check.
import type { CheckStateName } from '@vedette/contracts'
import type { StateFacts, UnknownCause } from './state-facts.ts'

interface ReasonFacts {
  facts: StateFacts
  state: CheckStateName
  now: number
  cause: UnknownCause | null
}

const maxChars = 500

export function reasonOf(given: ReasonFacts): string {
  const { facts, state, now } = given
  switch (state) {
    case 'inactive':
      return facts.activated ? 'Its group is deactivated.' : 'The check is deactivated.'
    case 'maintenance':
      return `A maintenance window pauses its runs until ${timeOf(facts.pause?.to ?? now, now)}.`
    case 'unknown':
      return unknownReason(given)
    case 'failing':
      return withErrorNote(given, failureReason(facts, now))
    default:
      return withErrorNote(given, runReason(given))
  }
}

function failureReason({ failureMessage, lastRunAt }: StateFacts, now: number): string {
  if (failureMessage !== null && failureMessage.trim() !== '') return asSentence(failureMessage)
  return lastRunAt === null ? 'The last run failed.' : `The run at ${timeOf(lastRunAt, now)} failed.`
}

function runReason({ facts, state, now }: ReasonFacts): string {
  const { heartbeat, knownAt } = facts
  if (heartbeat !== null)
    return `The last ping arrived at ${timeOf(heartbeat.lastPingAt ?? knownAt ?? now, now)}.`
  const outcome = state === 'degraded' ? 'was degraded' : 'passed'
  return `The run that ended at ${timeOf(knownAt ?? now, now)} ${outcome}.`
}

/** A run with an internal error doesn't change the state. */
function withErrorNote({ facts, now }: ReasonFacts, reason: string): string {
  if (!facts.hasErrors || facts.lastRunAt === null) return reason
  return `${reason} The run at ${timeOf(facts.lastRunAt, now)} ended with an internal error and says nothing about the target.`
}

function unknownReason(given: ReasonFacts): string {
  const { facts, now, cause } = given
  const { heartbeat, knownAt, lastRunAt, hasErrors } = facts
  if (heartbeat !== null) return heartbeatReason(facts, heartbeat, now)
  if (!facts.isPlanned) return 'It has no location to run in.'
  const isAnError = hasErrors && lastRunAt !== null && lastRunAt > (knownAt ?? 0)
  const since = knownAt === null ? null : timeOf(knownAt, now)
  if (cause?.kind === 'server_outage' && cause.outage !== undefined) {
    const { from, to } = cause.outage
    return `It hasn't run since ${since ?? 'it was created'}: no server was running from ${timeOf(from, now)} to ${timeOf(to, now)}.`
  }
  if (isAnError && cause?.kind !== 'no_agent') {
    const begin = `The run at ${timeOf(lastRunAt, now)} ended with an internal error`
    return since === null
      ? `${begin}, as did all runs before it.`
      : `${begin}; the last verdict is from ${since}.`
  }
  if (cause !== null) {
    const begin =
      since === null ? 'No agent has run this check yet' : `No agent has run this check since ${since}`
    return `${begin}: ${causeClause(cause)}.`
  }
  if (since === null) return "It hasn't run yet."
  return `It hasn't run since ${since}.`
}

/** The location Office has no connected agent */
export function causeClause({ kind, locations }: UnknownCause, checkCount = 1): string {
  const named = `the location${locations.length === 1 ? '' : 's'} ${inWords(locations)}`
  const one = locations.length === 1
  switch (kind) {
    case 'no_agent':
      return `${named} ${one ? 'has' : 'have'} no connected agent`
    case 'unserved_type':
      return `no agent in ${named} runs checks of this type`
    default:
      return `the agents in ${named} don't take ${checkCount === 1 ? 'its' : 'their'} runs`
  }
}

function heartbeatReason(
  { verdict }: StateFacts,
  { deadlineAt }: NonNullable<StateFacts['heartbeat']>,
  now: number,
): string {
  if (verdict === null) return "It hasn't received a ping yet."
  if (deadlineAt === null) return "It hasn't received a ping since it was activated."
  return `Its deadline passed at ${timeOf(deadlineAt, now)}, and no server has evaluated it yet.`
}

function inWords(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? ''
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** 19:23 UTC, or with the date if it isn't today. */
function timeOf(instant: number, now: number): string {
  const text = new Date(instant).toISOString()
  const isToday = text.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return `${isToday ? text.slice(11, 16) : text.slice(0, 16).replace('T', ' ')} UTC`
}

function asSentence(message: string): string {
  const [line = ''] = message.trim().split(/[\r\n]/, 1)
  const cut = line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line
  const capitalized = cut.charAt(0).toUpperCase() + cut.slice(1)
  return /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
