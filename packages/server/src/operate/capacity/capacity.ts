// vedette capacity: what an installation needs. Works without a store if a mix is given.
import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { clusterDirOf } from '../../storage/embedded/settings.ts'
import { listScheduledChecks } from '../../storage/runs/capacity.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from '../command.ts'
import { withStore } from '../connect.ts'
import { capacityText } from './capacity-text.ts'
import { capacityFigures } from './figures.generated.ts'
import { mixOptions, readMix } from './mix.ts'
import { type ChecksOfMix, capacityOf, defaultSettings, type Settings } from './model.ts'

const numbers = {
  'result-days': [1, 3650],
  'detail-days': [1, 3650],
  'rollup-months': [1, 240],
  'detail-percent': [0, 100],
  'agent-cores': [1, 1024],
  'database-cores': [1, 1024],
  'disk-mb-per-second': [1, 100_000],
  servers: [1, 10_000],
  agents: [1, 100_000],
} as const

type NumberOption = keyof typeof numbers

export const capacityCommands: Record<string, Command> = {
  capacity: {
    usage: `capacity [--url COUNT[:EVERY[:LOCATIONS]]] ${[...mixOptions.keys()]
      .filter((option) => option !== 'url')
      .map((option) => `[--${option} …]`)
      .join(' ')} ${Object.keys(numbers)
      .map((option) => `[--${option} N]`)
      .join(' ')}`,
    summary:
      'computes what checks need: cores, memory, disk, network, and what saturates first; without checks, for those of this installation',
    options: Object.fromEntries(
      [...mixOptions.keys(), ...Object.keys(numbers)].map((option) => [option, { type: 'string' as const }]),
    ),
    run,
  },
}

async function run(input: Input): Promise<Output> {
  const settings = readSettings(input)
  const given = [...mixOptions].flatMap(([option, type]) => {
    const text = input.text(option)
    return text === undefined ? [] : readMix(option, type, text)
  })
  const mix = given.length > 0 ? given : await mixOfInstallation(input.config)
  const capacity = capacityOf(mix, settings, capacityFigures)
  return {
    json: { mix, settings, ...capacity, figures: capacityFigures.measured },
    text: capacityText(mix, settings, capacity, capacityFigures),
  }
}

async function mixOfInstallation(config: Config): Promise<ChecksOfMix[]> {
  const isConfigured =
    config.DATABASE_URL !== undefined ||
    config.DATABASE_DIRECT_URL !== undefined ||
    existsSync(clusterDirOf(config.DATA_DIR))
  if (!isConfigured)
    throw new UsageError(
      'There is no installation here whose checks could be counted: name some, such as --url 5000 --browser 200:10m.',
    )
  const mix = await withStore(config, {}, ({ pool }) => listScheduledChecks(pool))
  if (mix.length === 0)
    throw new OperatorError('No check of this installation is active: name some, such as --url 5000.')
  return mix
}

function readSettings(input: Input): Settings {
  const { config } = input
  return {
    resultDays: readNumber(input, 'result-days') ?? config.RESULT_RETENTION_DAYS,
    detailDays: readNumber(input, 'detail-days') ?? config.DETAIL_RETENTION_DAYS,
    rollupMonths: readNumber(input, 'rollup-months') ?? config.ROLLUP_RETENTION_MONTHS,
    detailPercent: readNumber(input, 'detail-percent') ?? config.DETAIL_SAMPLE_PERCENT,
    agentCores: readNumber(input, 'agent-cores') ?? defaultSettings.agentCores,
    databaseCores: readNumber(input, 'database-cores') ?? defaultSettings.databaseCores,
    diskWriteMbPerSecond: readNumber(input, 'disk-mb-per-second') ?? defaultSettings.diskWriteMbPerSecond,
    servers: readNumber(input, 'servers'),
    agents: readNumber(input, 'agents'),
  }
}

function readNumber(input: Input, option: NumberOption): number | null {
  const text = input.text(option)
  if (text === undefined) return null
  const [least, most] = numbers[option]
  const value = Number(text)
  if (!/^\d{1,6}$/.test(text) || value < least || value > most)
    throw new UsageError(`--${option} must be a whole number from ${least} to ${most}, not "${text}".`)
  return value
}
