import {
  IncidentTemplateInput,
  StatusPageAutomationRuleInput,
  StatusPageComponentInput,
  StatusPageFields,
  StatusPageServiceInput,
  StatusPageSubscriptionBatch,
  StatusPageWebhookInput,
} from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

interface EditedPage {
  components?: readonly { name: string; serviceId: string | null }[]
}

export function statusPageProblems(values: EditedPage): FieldProblem[] {
  const { components = [], ...page } = values
  const ofComponents = components.flatMap(({ name, ...component }, index) => {
    const sent = { ...component, ...(name === '' ? {} : { name }) }
    return issuesOf(StatusPageComponentInput, sent).map(({ path, message }) => ({
      path: `components.${index}.${path}`,
      message: path === 'name' && name === '' ? 'is required' : message,
    }))
  })
  return [...issuesOf(StatusPageFields, page), ...ofComponents]
}

export const newPageProblems = (values: { name: string; url: string }) => issuesOf(StatusPageFields, values)
export const serviceProblems = (values: unknown) => issuesOf(StatusPageServiceInput, values)
export const webhookProblems = (values: unknown) => issuesOf(StatusPageWebhookInput, values)
export const ruleProblems = (values: unknown) => issuesOf(StatusPageAutomationRuleInput, values)
export const templateProblems = (values: unknown) => issuesOf(IncidentTemplateInput, values)

/** One problem for all addresses: they are entered in one field. */
export function subscriberProblems({ addresses }: { addresses: readonly string[] }): FieldProblem[] {
  const subscriptions = addresses.map((config) => ({ type: 'EMAIL', config }))
  const [issue] = issuesOf(StatusPageSubscriptionBatch, { subscriptions })
  if (issue === undefined) return []
  const wrong = addresses[Number(issue.path.split('.')[1] ?? Number.NaN)]
  return [
    { path: 'addresses', message: wrong === undefined ? issue.message : `“${wrong}” isn’t an email address` },
  ]
}
