// The list of check types, and what is derived from it. A new type is one line in the list.
import { z } from 'zod'
import { keysOf, nonEmpty } from '../core/objects.ts'
import { updateOf } from '../core/update.ts'
import { agenticCheck } from './agentic.ts'
import { apiCheck } from './api.ts'
import { browserCheck } from './browser.ts'
import type { CheckDefinition, CheckValues } from './definition.ts'
import { dnsMonitor } from './dns.ts'
import { grpcMonitor } from './grpc.ts'
import { heartbeatMonitor } from './heartbeat.ts'
import { icmpMonitor } from './icmp.ts'
import { multiStepCheck } from './multi-step.ts'
import { playwrightCheck } from './playwright.ts'
import { sslMonitor } from './ssl.ts'
import { tcpMonitor } from './tcp.ts'
import { tracerouteMonitor } from './traceroute.ts'
import { urlMonitor } from './url.ts'

export type { AlertChannelSummary, TriggerIncident } from './base.ts'
export type { CheckDefinition, CheckValues } from './definition.ts'
export { heartbeatTimes } from './heartbeat.ts'

/** In the order of the API; a new type comes last. */
export const checkTypes = {
  API: apiCheck,
  BROWSER: browserCheck,
  MULTI_STEP: multiStepCheck,
  HEARTBEAT: heartbeatMonitor,
  ICMP: icmpMonitor,
  TCP: tcpMonitor,
  PLAYWRIGHT: playwrightCheck,
  URL: urlMonitor,
  DNS: dnsMonitor,
  AGENTIC: agenticCheck,
  GRPC: grpcMonitor,
  SSL: sslMonitor,
  TRACEROUTE: tracerouteMonitor,
} satisfies Record<string, CheckDefinition>

export type CheckTypes = typeof checkTypes
export type CheckType = keyof CheckTypes
type Definition = CheckTypes[CheckType]

/** The types that take this capacity of an agent. */
type TypeOfCapacity<C> = { [T in CheckType]: CheckTypes[T]['capacity'] extends C ? T : never }[CheckType]
export type NetworkCheckType = TypeOfCapacity<'network'>
export type CodeCheckType = TypeOfCapacity<'code'>

export const checkTypeNames = keysOf(checkTypes)

export const CheckType = z.enum(checkTypeNames)

/** The definition of a type, with the shape that all definitions have. */
export function definitionOf(type: CheckType): CheckDefinition {
  return checkTypes[type]
}

/** Whether a check runs user code only. API checks don't, although they may have setup and teardown scripts. */
export function isCodeType(type: CheckType): type is CodeCheckType {
  return definitionOf(type).capacity === 'code'
}

/** The types that take network capacity of an agent. */
export const networkCheckTypes = checkTypeNames.filter((type) => definitionOf(type).capacity === 'network')

/** A check of any type, as read. */
export const Check = z
  .discriminatedUnion('checkType', nonEmpty(Object.values(checkTypes).map(({ read }) => read)))
  .meta({ id: 'Check' })

export type Check = z.output<typeof Check>

/** The body that creates a check of one type. */
export function createBodyOf<I extends z.ZodObject>(definition: CheckDefinition & { input: I }): I {
  return withRules(definition.input, definition).meta({ id: `${definition.name}Input` })
}

/** The body that updates one. The handler applies the rules between fields, since it knows the stored fields. */
export function updateBodyOf<I extends z.ZodObject>(definition: CheckDefinition & { input: I }) {
  return updateOf(definition.input).meta({ id: `${definition.name}Update` })
}

/**
 * A check that isn't stored. The handler applies the rules between fields, since a secret may be omitted if a stored check has
 * it.
 */
export const CheckDraft = z.discriminatedUnion(
  'checkType',
  nonEmpty(Object.values(checkTypes).map(({ input }) => input)),
)

const script = z.string().max(5_000_000).nullable().default(null)

const definitions = checkTypeNames.map(definitionOf)

const inputs: z.ZodObject[] = definitions.map((definition) =>
  'script' in definition.input.shape
    ? withRules(definition.input.extend({ script }), definition)
    : createBodyOf(definition),
)

/** The deprecated create for all types (spec §4.8): here the script can be omitted. */
export const CheckInput = z.discriminatedUnion(
  'checkType',
  inputs as [Definition['input'], ...Definition['input'][]],
)

/** A draft in the document. */
export const CheckDraftShown = z.union(definitions.map((definition) => createBodyOf(definition)))

/** The deprecated update for all types: the type of the stored check decides how fields are parsed. */
export const CheckUpdate = z
  .looseObject({ checkType: CheckType.optional() })
  .describe('Fields of the type that the check has; the type itself cannot change')

/** The same as in the document. */
export const CheckUpdateShown = z
  .union(definitions.map((definition) => updateBodyOf(definition)))
  .describe('Fields of the type that the check has; the type itself cannot change')

function withRules<I extends z.ZodObject>(input: I, definition: CheckDefinition): I {
  return input.superRefine(
    (values, context) => {
      for (const issue of definition.issues(values as CheckValues))
        context.addIssue({ code: 'custom', ...issue })
    },
    // Also if other fields are wrong: a response names all of them.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}
