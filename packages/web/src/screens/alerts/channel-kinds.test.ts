import { channelDefinitions } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { channelKinds, channelName, isChannelType, maskConfig } from './channel-kinds.ts'

const types = Object.keys(channelKinds).filter(isChannelType)

describe('every type of channel', () => {
  it.each(types)('%s has a field for each part of its config, and hides each secret', (type) => {
    const { config, secretFields } = channelDefinitions[type]
    const { fields, config: initial } = channelKinds[type]
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(config.shape).sort())
    expect(Object.keys(initial).sort()).toEqual(Object.keys(config.shape).sort())
    const hidden = fields.flatMap(({ kind, name }) =>
      kind === 'secret' ? [name] : kind === 'pairs' ? [`${name}.*.value`] : [],
    )
    expect(hidden.sort()).toEqual([...secretFields].sort())
  })

  it('are all of the API', () => {
    expect(types.sort()).toEqual(Object.keys(channelDefinitions).sort())
  })
})

it('is called by its name or target, never by a secret', () => {
  expect(channelName({ type: 'EMAIL', config: { address: 'a@example.com' } })).toBe('a@example.com')
  const config = { name: '', url: 'https://hooks.example.com/secret', method: 'POST' as const }
  const webhook = { ...config, headers: [{ key: 'x', value: 'secret', locked: false }], queryParameters: [] }
  expect(channelName({ type: 'WEBHOOK', config: webhook })).toBe('hooks.example.com')
  expect(JSON.stringify(maskConfig('WEBHOOK', webhook))).not.toContain('secret"')
  expect(channelName({ type: 'WEBHOOK', config: { ...webhook, url: '***' } })).toBe('Webhook')
})
