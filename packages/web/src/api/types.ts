// The shapes of responses that several screens use.
import type { ResponseTo } from './call.ts'

export type SignIn = ResponseTo<'GET /v1/sign-in'>
export type SignInStart = ResponseTo<'POST /v1/sign-in'>
export type Overview = ResponseTo<'GET /v1/overview'>
export type Attention = Overview['attention'][number]
export type Recent = Overview['recent'][number]
export type OverviewPage = ResponseTo<'GET /v1/overview/checks'>
export type OverviewCheck = OverviewPage['entries'][number]
export type Check = ResponseTo<'GET /v1/checks/{id}'>
export type CheckResult = ResponseTo<'GET /v1/check-results/{checkId}/{checkResultId}'>
export type TestResult = ResponseTo<'GET /v1/test-sessions/{testSessionId}/results/{testSessionResultId}'>
/** What results of checks and of test sessions have in common: enough to show what happened. */
export type ShownResult = Pick<CheckResult | TestResult, keyof CheckResult & keyof TestResult>
export type SessionEntry = ResponseTo<'GET /v1/sessions'>['entries'][number]
export type LocationStatus = ResponseTo<'GET /v1/location-statuses'>[number]
export type PrivateLocation = ResponseTo<'GET /v1/private-locations/{id}'>
