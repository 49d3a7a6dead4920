import { describe, expect, it } from 'vitest'
import { exampleTools } from '../channels/channel.fixture.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { exampleMessage } from '../message/message.fixture.ts'
import { resolveConfig } from './resolve-config.ts'

const tools = exampleTools({
  variables: {
    TOKEN: 'a&b c',
    PATH_OF_HOOK: 'T0/B0/x',
    HOOK_URL: 'https://hooks.test:8443/a?b=c',
    HOST: 'hooks.test:8080',
    CHECK_NAME: 'of the account',
  },
})

describe('the config of a channel', () => {
  it.each([
    ['https://hooks.test/{{PATH_OF_HOOK}}', 'https://hooks.test/T0/B0/x'],
    ['{{HOOK_URL}}', 'https://hooks.test:8443/a?b=c'],
    ['https://{{HOST}}/x?t={{TOKEN}}&u={{{TOKEN}}}', 'https://hooks.test:8080/x?t=a%26b%20c&u=a&b c'],
    ['https://hooks.test/x?name={{CHECK_NAME}}', 'https://hooks.test/x?name=A%20%26%20B'],
    ['https://hooks.test/{{ default NAME "a?b" }}/c?t={{TOKEN}}', 'https://hooks.test/a?b/c?t=a%26b%20c'],
  ])('fills in the variables of %s', async (url, expected) => {
    const resolved = await resolveConfig({ url }, tools, exampleMessage({ checkName: 'A & B' }))
    expect(resolved.url).toBe(expected)
  })

  it('fills in variables unescaped at any depth, except in the template', async () => {
    const config = {
      apiKey: '{{TOKEN}}',
      headers: [{ key: 'Authorization', value: 'Bearer {{ TOKEN }}', locked: true }],
      template: '{{TOKEN}} {{UNKNOWN}}',
      webhookSecret: null,
      priority: 'P3',
    }
    expect(await resolveConfig(config, tools)).toEqual({
      ...config,
      apiKey: 'a&b c',
      headers: [{ key: 'Authorization', value: 'Bearer a&b c', locked: true }],
    })
  })

  it.each(['{{MISSING}}', 'Bearer {{{ MISSING }}}', '{{toString}}'])(
    '%s is refused by name',
    async (value) => {
      const error = await resolveConfig({ apiKey: value }, tools).catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(DeliveryError)
      expect(error).toMatchObject({ permanent: true })
      expect((error as Error).message).toContain(/\w+/.exec(value.replace('Bearer', ''))?.[0])
    },
  )

  it('may use functions', async () => {
    const { name } = await resolveConfig({ name: '{{year}}-{{$RANDOM_NUMBER}}' }, tools)
    expect(name).toMatch(/^\d{4}-\d{1,5}$/)
  })
})
