// The secrets inside a channel's config: sealed at rest, masked for readers, kept when a mask comes back.
import { type ChannelType, channelDefinitions, type FieldIssue, secretMask } from '@vedette/contracts'
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

/** Puts the stored secret wherever a mask was sent; a mask with nothing behind it is an issue. */
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
    issues.push({ path: ['config', ...path], message: 'is a mask with no stored value behind it' })
    return secret
  })
  return { config, issues }
}

/** Entries of a list are the same when their keys are: their places may have changed. */
function storedSecret(sent: ChannelConfig, stored: ChannelConfig, [field, index]: Path): string | undefined {
  if (index === undefined) return asText(stored[field as string])
  const key = (sent[field as string] as { key: string }[])[index as number]?.key
  const entries = (stored[field as string] ?? []) as { key: string; value: string }[]
  const entry =
    entries[index as number]?.key === key
      ? entries[index as number]
      : entries.find((item) => item.key === key)
  return asText(entry?.value)
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
    result = mapAt(result, field.split('.'), [], change) as ChannelConfig
  }
  return result
}

function mapAt(
  value: unknown,
  [step, ...rest]: string[],
  path: Path,
  change: (secret: string, path: Path) => unknown,
): unknown {
  // An empty text is no secret: it says that none is set.
  if (step === undefined) return typeof value === 'string' && value !== '' ? change(value, path) : value
  if (step === '*') {
    return Array.isArray(value)
      ? value.map((item, index) => mapAt(item, rest, [...path, index], change))
      : value
  }
  if (typeof value !== 'object' || value === null || !(step in value)) return value
  return { ...value, [step]: mapAt((value as ChannelConfig)[step], rest, [...path, step], change) }
}
