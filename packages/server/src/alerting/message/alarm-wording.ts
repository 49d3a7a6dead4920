// The text of messages about checks that no agent runs: how many, why, and what to do.
import type { AlarmFacts } from '../../storage/alerts/alert-writes.ts'
import { oneLine } from './plain-text.ts'

const maxNameChars = 120

export function alarmTitle(alarm: AlarmFacts, isOver: boolean): string {
  const { checkCount, checks } = alarm
  const one = checkCount === 1
  const subject = one ? `Check "${oneLine(checks[0] ?? '', maxNameChars)}"` : `${checkCount} checks`
  if (alarm.isLocationOnly) {
    const where = oneLine(alarm.locations.join(', '), 200)
    if (!isOver) return `${subject} ${one ? "isn't" : "aren't"} running in ${where}: ${shortCause(alarm)}`
    return alarm.end === 'unassigned'
      ? `${subject} ${one ? 'is' : 'are'} no longer scheduled in ${where}`
      : `${subject} ${one ? 'runs' : 'run'} in ${where} again`
  }
  if (isOver && alarm.end === 'unassigned') return `${subject} ${one ? 'is' : 'are'} no longer scheduled`
  if (isOver) return `${subject} ${one ? 'runs' : 'run'} again`
  return `${subject} ${one ? "isn't" : "aren't"} running: ${causeWords(alarm)}`
}

export function alarmReason(alarm: AlarmFacts, isOver: boolean): string {
  const one = alarm.checkCount === 1
  if (isOver && alarm.end === 'unassigned') {
    return `${one ? 'It was' : 'They were'} deactivated, deleted or moved to another location.`
  }
  if (isOver && alarm.isLocationOnly) return 'Runs in this location have resumed.'
  if (isOver) return `${one ? 'Its' : 'Their'} state is known again.`
  if (alarm.isLocationOnly && alarm.cause !== 'server_outage') {
    return `Other locations may still run ${one ? 'it' : 'them'}. ${adviceOf(alarm)}`
  }
  const state = `${one ? 'Its' : 'Their'} state is unknown.`
  return `${state} ${adviceOf(alarm)}`
}

function causeWords({ cause, locations, checkCount }: AlarmFacts): string {
  const their = checkCount === 1 ? 'its' : 'their'
  const named = oneLine(locations.join(', '), 200)
  switch (cause) {
    case 'no_agent':
      return `${named} ${locations.length === 1 ? 'has' : 'have'} no connected agent`
    case 'unserved_type':
      return `no agent in ${named} runs checks of ${their} type`
    case 'overdue':
      return `the agents in ${named} don't start ${their} runs`
    case 'server_outage':
      return 'no server was running'
  }
}

/** For a title that already names the location. */
function shortCause({ cause, checkCount }: AlarmFacts): string {
  const their = checkCount === 1 ? 'its' : 'their'
  switch (cause) {
    case 'no_agent':
      return 'no agent is connected'
    case 'unserved_type':
      return `no agent there runs checks of ${their} type`
    case 'overdue':
      return `the agents there don't start ${their} runs`
    case 'server_outage':
      return 'no server was running'
  }
}

function adviceOf({ cause, locations }: AlarmFacts): string {
  const location = locations.length === 1 ? 'this location' : 'these locations'
  switch (cause) {
    case 'no_agent':
      return `Start an agent for ${location}, or find out why it cannot reach the server.`
    case 'unserved_type':
      return `Start an agent for ${location} that runs checks of this type. The uptime agent, for example, runs no code.`
    case 'overdue':
      return 'The agents are overloaded or stuck. Look at their logs, or start another agent.'
    case 'server_outage':
      return 'The server log shows why the server stopped.'
  }
}
