// The list of check types, and what is said of a check of any type.
import { z } from 'zod'
import { updateOf } from '../core/update.ts'
import { AgenticCheck, agenticCheck } from './agentic.ts'
import { ApiCheck, apiCheck } from './api.ts'
import { type CheckDefinition, CheckType, type CheckValues } from './base.ts'
import { BrowserCheck, browserCheck } from './browser.ts'
import { DnsMonitor, dnsMonitor } from './dns.ts'
import { HeartbeatMonitor, heartbeatMonitor } from './heartbeat.ts'
import { IcmpMonitor, icmpMonitor } from './icmp.ts'
import { MultiStepCheck, multiStepCheck } from './multi-step.ts'
import { PlaywrightCheck, playwrightCheck } from './playwright.ts'
import { TcpMonitor, tcpMonitor } from './tcp.ts'
import { UrlMonitor, urlMonitor } from './url.ts'

export {
  type AlertChannelSummary,
  type CheckDefinition,
  CheckType,
  type CheckValues,
  checkTypeNames,
} from './base.ts'
export { heartbeatTimes } from './heartbeat.ts'

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
} satisfies Record<CheckType, CheckDefinition>

/** A check of any type, as read. */
export const Check = z
  .discriminatedUnion('checkType', [
    ApiCheck,
    BrowserCheck,
    MultiStepCheck,
    HeartbeatMonitor,
    IcmpMonitor,
    TcpMonitor,
    PlaywrightCheck,
    UrlMonitor,
    DnsMonitor,
    AgenticCheck,
  ])
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
export const CheckInput = z.discriminatedUnion('checkType', [
  createBodyOf(apiCheck),
  withRules(browserCheck.input.extend({ script }), browserCheck),
  withRules(multiStepCheck.input.extend({ script }), multiStepCheck),
  createBodyOf(heartbeatMonitor),
  createBodyOf(icmpMonitor),
  createBodyOf(tcpMonitor),
  createBodyOf(playwrightCheck),
  createBodyOf(urlMonitor),
  createBodyOf(dnsMonitor),
  createBodyOf(agenticCheck),
])

/** The deprecated update for all types: the stored check says by which contract the rest is read. */
export const CheckUpdate = z
  .looseObject({ checkType: CheckType.optional() })
  .describe('Fields of the type that the check has; the type itself cannot change')

/** The same as the document shows it. */
export const CheckUpdateShown = z
  .union(Object.values<CheckDefinition>(checkTypes).map((definition) => updateBodyOf(definition)))
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
