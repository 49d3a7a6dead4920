// A message as the variables of a template.
import { createHash } from 'node:crypto'
import type { AlertMessage } from './message.ts'

export type MessageVariable = string | number | boolean | null | readonly string[]

/** All are there in every message, so that a template can ask for any; a null is rendered as nothing. */
export function messageVariables(message: AlertMessage): Record<string, MessageVariable> {
  const { analysis, ssl } = message
  return {
    ALERT_TITLE: message.title,
    ALERT_TYPE: message.alertType,
    CHECK_NAME: message.checkName,
    CHECK_ID: message.checkId,
    CHECK_TYPE: message.checkType,
    CHECK_DESCRIPTION: message.checkDescription,
    CHECK_ERROR_MESSAGE: message.error,
    CHECK_RESULT_ID: message.resultId,
    GROUP_NAME: message.groupName,
    // choice: a number where there is none too, as templates write it into JSON without quotes.
    RESPONSE_TIME: message.responseTimeMs ?? 0,
    API_CHECK_RESPONSE_STATUS_CODE: message.statusCode,
    API_CHECK_RESPONSE_STATUS_TEXT: message.statusText,
    RUN_LOCATION: message.runLocation,
    REGION: message.region,
    RUN_AGENT: message.ranAt?.agentName ?? null,
    RUN_AGENT_IS_BUILT_IN: message.ranAt?.isBuiltIn ?? null,
    RESULT_LINK: message.resultLink,
    STARTED_AT: message.startedAt,
    TAGS: message.tags,
    IS_REMINDER: message.isReminder,
    REMINDER_SEQUENCE: message.reminderSequence,
    SSL_DAYS_REMAINING: ssl?.daysRemaining ?? null,
    SSL_CHECK_DOMAIN: ssl?.domain ?? null,
    AI_ANALYSIS_CLASSIFICATION: analysis?.classification ?? null,
    AI_ANALYSIS_ROOT_CAUSE: analysis?.rootCause ?? null,
    AI_ANALYSIS_USER_IMPACT: analysis?.userImpact ?? null,
    AI_ANALYSIS_CODE_FIX: analysis?.codeFix ?? null,
    AI_ANALYSIS_LINK: analysis?.link ?? null,
    ...chanceOf(message.id),
  }
}

/** By chance, and yet the same when the message is sent again: receivers tell repeats by their body. */
function chanceOf(id: string): { $UUID: string; $RANDOM_NUMBER: number } {
  const hash = createHash('sha256').update(id).digest()
  const number = hash.readUInt32BE(16) % 10_001
  hash[6] = ((hash[6] as number) & 0x0f) | 0x40
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  const uuid = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-')
  return { $UUID: uuid, $RANDOM_NUMBER: number }
}
