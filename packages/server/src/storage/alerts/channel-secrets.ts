// The secrets of a channel's config: sealed at rest, masked for readers, and kept if the mask is sent back.
import {
  type ChannelType,
  channelDefinitions,
  type FieldIssue,
  isRecord,
  secretMask,
} from '@vedette/contracts'
import { unsealDeep, type Vault } from '../core/vault.ts'

export type ChannelConfig = Record<string, unknown>

type Path = (string | number)[]

export function sealSecrets(
  vault: Vault,
  accountId: string,
  type: ChannelType,
  config: ChannelConfig,
): ChannelConfig {
  return mapSecrets(type, config, (secret) => vault.seal(accountId, secret))
}

export function openSecrets(vault: Vault, accountId: string, config: ChannelConfig): ChannelConfig {
  return unsealDeep(vault, accountId, config)
}

export function maskSecrets(type: ChannelType, config: ChannelConfig): ChannelConfig {
  return mapSecrets(type, config, () => secretMask)
}

export function listSecrets(type: ChannelType, config: ChannelConfig): string[] {
  const secrets: string[] = []
  mapSecrets(type, config, (secret) => secrets.push(secret))
  return secrets
}

/** Replaces masks by the stored secrets; a mask without a stored secret is an issue. */
export function restoreSecrets(
  type: ChannelType,
  sent: ChannelConfig,
  stored: { type: ChannelType; config: ChannelConfig } | null,
): { config: ChannelConfig; issues: FieldIssue[] } {
  const issues: FieldIssue[] = []
  const config = mapSecrets(type, sent, (secret, path) => {
    if (secret !== secretMask) return secret
    const kept = stored?.type === type ? storedSecret(sent, stored.config, path) : undefined
    if (kept !== undefined) return kept
    issues.push({ path: ['config', ...path], message: 'is a mask without a stored value' })
    return secret
  })
  return { config, issues }
}

/** Entries of a list are matched by key: their positions may have changed. */
function storedSecret(
  sent: ChannelConfig,
  stored: ChannelConfig,
  [field = '', index]: Path,
): string | undefined {
  if (index === undefined) return asText(stored[field])
  const entries = entriesOf(stored[field])
  const key = entriesOf(sent[field])[Number(index)]?.key
  const atIndex = entries[Number(index)]
  const entry = atIndex?.key === key ? atIndex : entries.find((item) => item.key === key)
  return asText(entry?.value)
}

function entriesOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => (isRecord(item) ? item : {})) : []
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function mapSecrets(
  type: ChannelType,
  config: ChannelConfig,
  change: (secret: string, path: Path) => unknown,
): ChannelConfig {
  let result = config
  for (const field of channelDefinitions[type].secretFields) {
    const changed = mapAt(result, field.split('.'), [], change)
    if (isRecord(changed)) result = changed
  }
  return result
}

function mapAt(
  value: unknown,
  [step, ...rest]: string[],
  path: Path,
  change: (secret: string, path: Path) => unknown,
): unknown {
  // An empty text means that no secret is set.
  if (step === undefined) return typeof value === 'string' && value !== '' ? change(value, path) : value
  if (step === '*') {
    return Array.isArray(value)
      ? value.map((item, index) => mapAt(item, rest, [...path, index], change))
      : value
  }
  if (!isRecord(value) || !(step in value)) return value
  return { ...value, [step]: mapAt(value[step], rest, [...path, step], change) }
}
