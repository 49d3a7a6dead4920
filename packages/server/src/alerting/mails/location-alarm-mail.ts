// The text of emails to the owners of an account: checks don't run in a location, or run again.
import { type CheckType, checkTypes } from '@vedette/contracts'
import type { LocationAlarmFacts } from '../../storage/alerts/location-alarms.ts'
import { oneLine } from '../message/plain-text.ts'
import { durationInWords, instantInWords } from '../message/wording.ts'
import { layOutMail, type MailBlock, type MailRenderer, messageIdOf } from './mail-layout.ts'

export const renderLocationAlarmMail: MailRenderer<LocationAlarmFacts> = (mail, context) => {
  const { facts } = mail
  const location = locationTextOf(facts)
  const isOver = facts.resolvedAt !== null
  const title = isOver ? resolvedTitle(facts, location) : openTitle(facts, location)
  return layOutMail(mail, context, {
    subject: isOver ? `Resolved: ${title}` : title,
    blocks: [
      { heading: title },
      ...(isOver ? [] : [{ paragraph: adviceOf(facts) }]),
      { rows: rowsOf(facts, location) },
      ...(isOver ? [] : [listOf(facts)]),
      { link: context.publicUrl, label: 'Open Vedette' },
    ],
    footer: [
      {
        paragraph: `You receive this email because ${mail.recipient} is an owner or admin of ${oneLine(facts.account, longestName)}.`,
      },
    ],
    headers: {
      'Auto-Submitted': 'auto-generated',
      // Email clients thread the alarm and its resolution.
      References: `<${messageIdOf(facts.alarmId, context)}>`,
    },
  })
}

const longestName = 120

/** Ireland (eu-west-1) */
function locationTextOf({ location, locationName }: LocationAlarmFacts): string {
  const name = oneLine(locationName, longestName)
  return name === location ? name : `${name} (${location})`
}

function openTitle({ kind, checkCount, unservedTypes = [] }: LocationAlarmFacts, location: string): string {
  const checks = checkCount === 1 ? "1 check isn't" : `${checkCount} checks aren't`
  if (kind === 'no_agent') return `${checks} running in ${location}: no agent is connected`
  const why =
    unservedTypes.length === 0 ? ' although an agent is connected' : `: ${unservedText(unservedTypes)}`
  return `${checks} running in ${location}${why}`
}

/** no agent there runs BROWSER or AGENTIC checks */
function unservedText(types: readonly string[]): string {
  const known = types.filter((type): type is CheckType => type in checkTypes)
  const last = known.at(-1) ?? ''
  const named = known.length > 1 ? `${known.slice(0, -1).join(', ')} or ${last}` : last
  return `no agent there runs ${named} checks`
}

function resolvedTitle({ kind, end }: LocationAlarmFacts, location: string): string {
  if (end === 'unassigned') return `No checks are assigned to ${location} anymore`
  return kind === 'no_agent'
    ? `An agent is connected in ${location} again`
    : `No runs are overdue in ${location} anymore`
}

function adviceOf({ kind, isPrivate, unservedTypes = [] }: LocationAlarmFacts): string {
  if (kind === 'overdue' && unservedTypes.length > 0) {
    return "The agents there don't run checks of these types; the uptime agent, for example, runs no code. Start an agent that does."
  }
  if (kind === 'overdue') {
    return 'Runs are overdue by more than their period, because the agents there are overloaded. Start another agent, or give them more CPU and memory.'
  }
  return isPrivate
    ? 'Start an agent with a key of this private location, or find out why it cannot reach the server.'
    : 'No agent serves this location. Ask the operator of this installation to start one.'
}

function rowsOf(
  { openedAt, resolvedAt, checkCount }: LocationAlarmFacts,
  location: string,
): [string, string][] {
  const rows: [string, string][] = [
    ['Location', location],
    ['Checks', String(checkCount)],
    ['Since', instantInWords(openedAt)],
  ]
  if (resolvedAt === null) return rows
  return [...rows, ['Lasted', durationInWords(Date.parse(resolvedAt) - Date.parse(openedAt))]]
}

function listOf({ checks, checkCount }: LocationAlarmFacts): MailBlock {
  const names = checks.map((name) => `- ${oneLine(name, longestName)}`)
  const more = checkCount - checks.length
  return { paragraph: [...names, ...(more > 0 ? [`and ${more} more`] : [])].join('\n') }
}
