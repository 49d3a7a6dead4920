// A check group as a construct.
import type { Expression } from '../source.ts'
import { snippetOf } from './check-construct.ts'
import {
  assertionsOf,
  basicAuthOf,
  type Construct,
  type ConstructScope,
  doubleCheckStrategy,
  escalationOf,
  Fields,
  isRecord,
  isSet,
  type Props,
  pairsOf,
  retryStrategyOf,
  serverFields,
} from './construct-code.ts'

export interface GroupScope extends ConstructScope {
  channelsOf(group: object): readonly Expression[]
}

/** The newer class says more: what a group doesn't decide is left to its checks. */
export function constructOfGroup(group: object, scope: GroupScope): Construct {
  const fields = new Fields(group)
  fields.ignore([...serverFields, 'alertChannelSubscriptions'])
  const alertChannels = scope.channelsOf(group)
  const slugs = fields.take('privateLocations')
  const privateLocations = Array.isArray(slugs)
    ? slugs.map(String).map((slug) => scope.refer('private-location', slug) ?? slug)
    : []
  const variables = pairsOf(fields.take('environmentVariables'), '', scope)
  const props: Props = {
    ...fields.takeAll(['name', 'activated', 'muted', 'tags', 'locations'], { activated: true, muted: false }),
    ...(privateLocations.length > 0 && { privateLocations }),
    ...fields.takeAll(['concurrency', 'runtimeId'], { concurrency: 3 }),
    ...decisionOf(fields.take('runParallel')),
    ...alertsOf(fields, scope),
    ...retriesOf(fields),
    ...(alertChannels.length > 0 && { alertChannels }),
    ...(variables.length > 0 && { environmentVariables: variables }),
    ...apiDefaultsOf(fields.take('apiCheckDefaults'), scope),
    ...hookOf(fields, scope, 'localSetupScript', 'setupSnippetId'),
    ...hookOf(fields, scope, 'localTearDownScript', 'tearDownSnippetId'),
  }
  fields.noteRest(scope)
  return { construct: scope.use('CheckGroupV2'), props }
}

const decisionOf = (runParallel: unknown): Props => (typeof runParallel === 'boolean' ? { runParallel } : {})

function alertsOf(fields: Fields, scope: ConstructScope): Props {
  const settings = fields.take('alertSettings')
  const isGlobal = fields.take('useGlobalAlertSettings')
  if (isGlobal === null || isGlobal === undefined) return {}
  return { alertEscalationPolicy: isGlobal === true ? 'global' : escalationOf(settings, scope) }
}

/** Without a strategy, checks decide. */
function retriesOf(fields: Fields): Props {
  const strategy = fields.take('retryStrategy')
  const doubleCheck = fields.take('doubleCheck') === true
  if (strategy === 'FALLBACK' || strategy === undefined) return {}
  if (isRecord(strategy)) return { retryStrategy: retryStrategyOf(strategy, true) }
  return { retryStrategy: doubleCheck ? doubleCheckStrategy : { type: 'NO_RETRIES' } }
}

function apiDefaultsOf(value: unknown, scope: ConstructScope): Props {
  const { url, headers, queryParameters, basicAuth, assertions } = Object(value)
  const shownHeaders = pairsOf(headers, 'header', scope)
  const shownParameters = pairsOf(queryParameters, 'parameter', scope)
  const apiCheckDefaults = {
    ...(isSet(url) && { url }),
    ...(shownHeaders.length > 0 && { headers: shownHeaders }),
    ...(shownParameters.length > 0 && { queryParameters: shownParameters }),
    ...basicAuthOf(basicAuth, scope),
    ...assertionsOf(assertions),
  }
  return Object.keys(apiCheckDefaults).length === 0 ? {} : { apiCheckDefaults }
}

function hookOf(fields: Fields, scope: ConstructScope, prop: string, snippetId: string): Props {
  const own = fields.take(prop)
  const snippet = snippetOf(fields.take(snippetId), snippetId, scope)
  const text = isSet(own) ? own : snippet
  return isSet(text) ? { [prop]: text } : {}
}
