import type { APIResponse } from '@playwright/test'

/** Soft assertions that failed make the run degraded instead of failed. The reason is shown; shorter than 100 bytes. */
export function markCheckAsDegraded(reason?: string): void

/** Milliseconds that a request took, or null where it was not measured. */
export function getAPIResponseTime(response: APIResponse): number | null
