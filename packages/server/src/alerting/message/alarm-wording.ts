// The words of messages about checks that nobody runs: how many, why, and what to do.
import type { AlarmFacts } from '../../storage/alert-writes.ts'
import { oneLine } from './plain-text.ts'

const maxNameChars = 120

export function alarmTitle(alarm: AlarmFacts, isOver: boolean): string {
  const { checkCount, checks } = alarm
  const one = checkCount === 1
  const subject = one ? `Check "${oneLine(checks[0] ?? '', maxNameChars)}"` : `${checkCount} checks`
  if (alarm.isLocationOnly) {
    const where = oneLine(alarm.locations.join(', '), 200)
    if (!isOver)
      return `${subject} ${one ? "isn't" : "aren't"} running in ${where}: ${shortCauses[alarm.cause]}`
    return alarm.end === 'unassigned'
      ? `${subject} ${one ? "isn't" : "aren't"} due in ${where} any longer`
      : `${subject} ${one ? 'runs' : 'run'} in ${where} again`
  }
  if (isOver && alarm.end === 'unassigned') return `${subject} ${one ? "isn't" : "aren't"} due any longer`
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
    return `Other locations may still run ${one ? 'it' : 'them'}. ${advice[alarm.cause]}`
  }
  const state = `${one ? 'Its' : 'Their'} state is unknown.`
  return alarm.cause === 'server_outage' ? state : `${state} ${advice[alarm.cause]}`
}

function causeWords({ cause, locations }: AlarmFacts): string {
  const named = oneLine(locations.join(', '), 200)
  switch (cause) {
    case 'no_agent':
      return `${named} ${locations.length === 1 ? 'has' : 'have'} no connected agent`
    case 'unserved_type':
      return `no agent in ${named} runs checks of their type`
    case 'overdue':
      return `the agents in ${named} don't take their runs`
    case 'server_outage':
      return 'no server was running'
  }
}

const shortCauses = {
  no_agent: 'no agent is connected',
  unserved_type: 'no agent there runs checks of their type',
  overdue: "the agents there don't take their runs",
  server_outage: 'no server was running',
}

const advice = {
  no_agent: 'Start an agent for this location, or find out why it cannot reach the server.',
  unserved_type: 'Start an agent that runs checks of this type: the uptime agent runs no code.',
  overdue: 'The agents are overloaded or stuck: look at their logs, or start another one.',
}
