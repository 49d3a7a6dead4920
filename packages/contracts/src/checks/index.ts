// The list of check types, and what is derived from it for checks of any type. A new type is one line in the list.
import { z } from 'zod'
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

export type { AlertChannelSummary } from './base.ts'
export type { CheckDefinition, CheckValues } from './definition.ts'
export { heartbeatTimes } from './heartbeat.ts'

/** In the order in which the API names them; a new type comes last. */
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

export const checkTypeNames = Object.keys(checkTypes) as [CheckType, ...CheckType[]]

export const CheckType = z.enum(checkTypeNames)

/** The definition of a type as the shape that all of them have. */
export function definitionOf(type: CheckType): CheckDefinition {
  return checkTypes[type]
}

/** Whether a check is nothing but code of its users. Scripts around the request of an API check don't make it one. */
export function isCodeType(type: CheckType): type is CodeCheckType {
  return definitionOf(type).capacity === 'code'
}

/** Every type that takes an agent's network capacity. */
export const networkCheckTypes = checkTypeNames.filter((type) => definitionOf(type).capacity === 'network')

const definitions = Object.values(checkTypes) as [Definition, ...Definition[]]

type EachOf<K extends keyof Definition> = [Definition[K], ...Definition[K][]]

/** A check of any type, as read. */
export const Check = z
  .discriminatedUnion('checkType', definitions.map(({ read }) => read) as EachOf<'read'>)
  .meta({ id: 'Check' })

export type Check = z.output<typeof Check>

/** The body that creates a check of one type. */
export function createBodyOf<I extends z.ZodObject>(definition: CheckDefinition & { input: I }): I {
  return withRules(definition.input, definition).meta({ id: `${definition.name}Input` }) as I
}

/** The body that updates one: the rules between fields are for the handler, who knows the other fields. */
export function updateBodyOf<I extends z.ZodObject>(definition: CheckDefinition & { input: I }) {
  return updateOf(definition.input as z.ZodObject<I['shape']>).meta({ id: `${definition.name}Update` })
}

const script = z.string().max(5_000_000).nullable().default(null)

/** The deprecated create for all types (spec §4.8): here a script may come later. */
export const CheckInput = z.discriminatedUnion(
  'checkType',
  definitions.map((definition: CheckDefinition) =>
    'script' in definition.input.shape
      ? withRules(definition.input.extend({ script }), definition)
      : createBodyOf(definition),
  ) as unknown as EachOf<'input'>,
)

/** The deprecated update for all types: the stored check says by which contract the rest is read. */
export const CheckUpdate = z
  .looseObject({ checkType: CheckType.optional() })
  .describe('Fields of the type that the check has; the type itself cannot change')

/** The same as the document shows it. */
export const CheckUpdateShown = z
  .union(definitions.map((definition: CheckDefinition) => updateBodyOf(definition)))
  .describe('Fields of the type that the check has; the type itself cannot change')

function withRules<I extends z.ZodObject>(input: I, definition: CheckDefinition): I {
  return input.superRefine(
    (values, context) => {
      for (const issue of definition.issues(values as CheckValues))
        context.addIssue({ code: 'custom', ...issue })
    },
    // Also beside other wrong fields: an answer names all of them.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}
