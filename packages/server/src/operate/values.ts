// Arguments of the command line, validated before the store is opened.
import { Email, type PlanId, planIds, Role, roles, Uuid } from '@vedette/contracts'
import { type Input, OperatorError, UsageError } from './command.ts'

export function readId(text: string, what: string): string {
  if (!Uuid.safeParse(text).success) {
    throw new OperatorError(`"${text}" isn't the id of ${what}: ids are UUIDs, which the list command shows.`)
  }
  return text.toLowerCase()
}

export function readRole(text: string): Role {
  const role = Role.safeParse(text.toUpperCase())
  if (!role.success) throw new OperatorError(`"${text}" isn't a role: use one of ${roles.join(', ')}.`)
  return role.data
}

export function readPlan(text: string): PlanId {
  const plan = planIds.find((id) => id.toLowerCase() === text.toLowerCase())
  if (plan === undefined) throw new OperatorError(`"${text}" isn't a plan: use one of ${planIds.join(', ')}.`)
  return plan
}

export function readEmail(text: string): string {
  if (!Email.safeParse(text).success) throw new OperatorError(`"${text}" isn't an email address.`)
  return text
}

export function readName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > 255 || !name.isWellFormed()) {
    throw new OperatorError('A name has 1 to 255 characters.')
  }
  return name
}

export function requireOption(input: Input, option: string): string {
  const value = input.text(option)
  if (value === undefined) throw new UsageError(`--${option} is missing.`)
  return value
}

export function argumentAt(input: Input, index: number): string {
  return input.words[index] ?? ''
}
