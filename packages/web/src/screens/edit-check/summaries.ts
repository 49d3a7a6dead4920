// The sections of a check in a sentence each.
import { type Assertion, expectationOf } from '../../core/assertion-words.ts'
import { formatDuration, formatList, formatNumberOf } from '../../core/format.ts'
import type { CheckFields } from '../../forms/schemas/check.ts'
import { valueAt } from '../../forms/values.ts'
import { alertSettingsInWords } from '../alerts/alert-settings-words.ts'

const textAt = (values: CheckFields, path: string) => String(valueAt(values, path) ?? '')
const countAt = (values: CheckFields, path: string) => {
  const value = valueAt(values, path)
  return Array.isArray(value) ? value.length : 0
}

export function requestInWords(type: string, values: CheckFields): string {
  const at = (path: string) => textAt(values, path)
  switch (type) {
    case 'API':
      return `${at('request.method')} ${at('request.url')}${countAt(values, 'request.headers') > 0 ? `, ${formatNumberOf(countAt(values, 'request.headers'), 'header')}` : ''}`
    case 'URL':
    case 'TRACEROUTE':
      return at('request.url')
    case 'TCP':
      return `${at('request.hostname')}:${at('request.port')}`
    case 'ICMP':
      return `${at('request.hostname')}, ${at('request.pingCount')} pings`
    case 'DNS':
      return `${at('request.recordType')} records of ${at('request.query')}`
    case 'SSL':
      return `${at('request.sslConfig.hostname')}:${at('request.sslConfig.port')}`
    case 'GRPC':
      return `${at('request.url')}:${at('request.port')}, ${at('request.grpcConfig.mode') === 'HEALTH' ? 'health check' : at('request.grpcConfig.method')}`
    case 'HEARTBEAT':
      return `A ping every ${at('heartbeat.period')} ${at('heartbeat.periodUnit')}, at most ${at('heartbeat.grace')} ${at('heartbeat.graceUnit')} late`
    case 'AGENTIC':
      return at('prompt')
    case 'PLAYWRIGHT':
      return at('codeBundlePath') === '' ? 'No archive yet' : at('testCommand')
    default:
      return at('script') === ''
        ? 'No script yet'
        : formatNumberOf(at('script').trimEnd().split('\n').length, 'line')
  }
}

export function assertionsInWords(assertions: readonly Assertion[]): string {
  if (assertions.length === 0) return 'None'
  const [first, second, ...others] = assertions.map(expectationOf)
  const shown = [first, second].filter((words) => words !== undefined)
  return `${sentenceOf(shown.join(' · '))}${others.length > 0 ? ` · and ${others.length} more` : ''}`
}

export function retriesInWords(values: CheckFields): string {
  const { retryStrategy, doubleCheck } = values
  if (retryStrategy === null || retryStrategy === undefined)
    return doubleCheck === true ? 'Once, from another location' : 'None'
  const { type, maxRetries, baseBackoffSeconds, onlyOn } = Object(retryStrategy)
  const only = Array.isArray(onlyOn) && onlyOn.length > 0 ? ', only after network errors' : ''
  if (type === 'SINGLE_RETRY') return `Once, after ${formatDuration(baseBackoffSeconds * 1000)}${only}`
  const pause = { FIXED: 'each', LINEAR: 'longer each time, from', EXPONENTIAL: 'doubled each time, from' }
  const how = Object.hasOwn(pause, type) ? pause[type as keyof typeof pause] : ''
  return `Up to ${maxRetries ?? 2} times, pauses ${how} ${formatDuration(baseBackoffSeconds * 1000)}${only}`
}

export function thresholdsInWords(values: CheckFields): string {
  const parts = [
    ...limitInWords('degraded', values.degradedResponseTime, formatDuration),
    ...limitInWords('failing', values.maxResponseTime, formatDuration),
    ...limitInWords('degraded', values.degradedPacketLossThreshold, (value) => `${value} % loss`),
    ...limitInWords('failing', values.maxPacketLossThreshold, (value) => `${value} % loss`),
  ]
  return parts.length === 0 ? 'None' : sentenceOf(parts.join(', '))
}

function limitInWords(name: string, value: unknown, format: (value: number) => string): string[] {
  return typeof value === 'number' ? [`${name} above ${format(value)}`] : []
}

export function alertingInWords(values: CheckFields): string {
  const { alertChannelSubscriptions: list, useGlobalAlertSettings, muted } = values
  const channels = Array.isArray(list) ? list.filter(({ activated }) => activated === true).length : undefined
  const who =
    channels === undefined
      ? 'All channels'
      : channels === 0
        ? 'No channel'
        : formatNumberOf(channels, 'channel')
  const when =
    useGlobalAlertSettings === true || useGlobalAlertSettings === null
      ? 'settings of the account'
      : alertSettingsInWords(Object(values.alertSettings)).replace(/^A/, 'a')
  return `${who}, ${when}${muted === true ? ', muted' : ''}`
}

export function variablesInWords(values: CheckFields): string {
  const { environmentVariables: list } = values
  if (!Array.isArray(list) || list.length === 0) return 'None'
  return formatList(list.map(({ key, secret }) => (secret === true ? `${key} (secret)` : String(key))))
}

export function scriptsInWords(values: CheckFields): string {
  const parts = [
    values.setupSnippetId || values.localSetupScript ? 'a setup script' : '',
    values.tearDownSnippetId || values.localTearDownScript ? 'a teardown script' : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'None' : sentenceOf(parts.join(' and '))
}

export function basicsInWords(values: CheckFields): string {
  const tags = Array.isArray(values.tags) ? values.tags.map(String) : []
  const name = String(values.name ?? '')
  return [name === '' ? 'No name yet' : name, tags.length > 0 ? `tagged ${formatList(tags)}` : '']
    .filter((part) => part !== '')
    .join(', ')
}

export function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
