// The template variables of a message.
import { createHash } from 'node:crypto'
import { uuidFromDigest } from '../../core/uuid-from-digest.ts'
import type { AlertMessage } from './message.ts'

export type MessageVariable = string | number | boolean | null | readonly string[]

/** Every message has all variables, so that templates can use any; null renders as an empty string. */
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
    // choice: never null, because templates write it into JSON without quotes.
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
    ...randomValuesOf(message.id),
  }
}

/** Derived from the id, so that a repeated message has the same body: receivers recognize duplicates by it. */
function randomValuesOf(id: string): { $UUID: string; $RANDOM_NUMBER: number } {
  const digest = createHash('sha256').update(id).digest()
  return { $RANDOM_NUMBER: digest.readUInt32BE(16) % 10_001, $UUID: uuidFromDigest(digest, 4) }
}
