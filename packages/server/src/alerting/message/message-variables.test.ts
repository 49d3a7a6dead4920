import { describe, expect, it } from 'vitest'
import { exampleMessage, minimalMessage } from './message.fixture.ts'
import { messageVariables } from './message-variables.ts'

describe('the variables of a message', () => {
  it('contain the whole message', () => {
    const message = exampleMessage({
      isReminder: true,
      reminderSequence: 2,
      ranAt: { agentId: '66666666-6666-4666-8666-666666666666', agentName: 'probe-1', isBuiltIn: true },
      ssl: { daysRemaining: 3, domain: 'example.com' },
      analysis: {
        classification: 'DNS',
        rootCause: 'moved',
        userImpact: 'all',
        codeFix: 'fix',
        link: 'https://x.test',
      },
    })
    const { $UUID, $RANDOM_NUMBER, ...variables } = messageVariables(message)
    expect(variables).toEqual({
      ALERT_TITLE: 'Reminder: check "Shop" is still failing',
      ALERT_TYPE: 'ALERT_FAILURE',
      CHECK_NAME: 'Shop',
      CHECK_ID: message.checkId,
      CHECK_TYPE: 'API',
      CHECK_DESCRIPTION: 'The front page',
      CHECK_ERROR_MESSAGE: 'expected 200, got 503',
      CHECK_RESULT_ID: message.resultId,
      GROUP_NAME: 'Web',
      RESPONSE_TIME: 321,
      API_CHECK_RESPONSE_STATUS_CODE: 503,
      API_CHECK_RESPONSE_STATUS_TEXT: 'Service Unavailable',
      RUN_LOCATION: 'Ireland',
      REGION: 'eu-west-1',
      RUN_AGENT: 'probe-1',
      RUN_AGENT_IS_BUILT_IN: true,
      RESULT_LINK: message.resultLink,
      STARTED_AT: '2026-01-01T00:12:00.000Z',
      TAGS: ['prod', 'team:web'],
      IS_REMINDER: true,
      REMINDER_SEQUENCE: 2,
      SSL_DAYS_REMAINING: 3,
      SSL_CHECK_DOMAIN: 'example.com',
      AI_ANALYSIS_CLASSIFICATION: 'DNS',
      AI_ANALYSIS_ROOT_CAUSE: 'moved',
      AI_ANALYSIS_USER_IMPACT: 'all',
      AI_ANALYSIS_CODE_FIX: 'fix',
      AI_ANALYSIS_LINK: 'https://x.test',
    })
  })

  it('are all defined for a minimal message', () => {
    expect(Object.keys(messageVariables(minimalMessage))).toEqual(
      Object.keys(messageVariables(exampleMessage())),
    )
    expect(messageVariables(minimalMessage)).toMatchObject({
      RESPONSE_TIME: 0,
      CHECK_ERROR_MESSAGE: null,
      TAGS: [],
    })
  })

  it('include random values that are stable for a message', () => {
    const of = (id: string) => messageVariables(exampleMessage({ id }))
    expect(of('a').$UUID).toBe(of('a').$UUID)
    expect(of('a').$UUID).not.toBe(of('b').$UUID)
    expect(of('a').$UUID).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    const numbers = Array.from({ length: 500 }, (_, index) => of(String(index)).$RANDOM_NUMBER as number)
    expect(numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 10_000)).toBe(true)
    expect(new Set(numbers).size).toBeGreaterThan(400)
  })
})
