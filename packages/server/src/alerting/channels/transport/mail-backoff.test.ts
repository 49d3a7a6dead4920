import { describe, expect, it } from 'vitest'
import { DeliveryError } from './delivery-error.ts'
import { MailBackoff, type MailFailure } from './mail-backoff.ts'

const second = 1_000

/** Sends emails to a fake server whose replies a test sets, on a simulated clock. */
function openWorld() {
  let now = 0
  let tries = 0
  let reply: (to: string) => MailFailure | null = () => null
  const backoff = new MailBackoff(() => now)
  const send = async (to: string): Promise<string> => {
    const work = async () => {
      tries += 1
      const failure = reply(to)
      if (failure !== null) throw failure
      return 'accepted'
    }
    try {
      return await backoff.run(to, work, (cause) => cause as MailFailure)
    } catch (error) {
      const { permanent, isUntried } = error as DeliveryError
      return permanent ? 'refused' : isUntried ? 'postponed' : 'failed'
    }
  }
  return {
    backoff,
    send,
    tries: () => tries,
    pass(ms: number) {
      now += ms
    },
    replyWith(next: typeof reply) {
      reply = next
    },
  }
}

const failure = (isOfServer: boolean, permanent = false): MailFailure => ({
  error: new DeliveryError('not now', { permanent }),
  isOfServer,
})

describe('a mail server that fails', () => {
  it('is probed a few times in two minutes, however many emails wait, and used at once when it is back', async () => {
    const { send, pass, tries, replyWith, backoff } = openWorld()
    replyWith(() => failure(true))
    for (let elapsed = 0; elapsed < 120; elapsed++) {
      for (let mail = 0; mail < 30; mail++) await send(`reader-${mail}@example.test`)
      pass(second)
    }
    expect(tries()).toBeLessThanOrEqual(8)
    expect(tries()).toBeGreaterThanOrEqual(5)
    replyWith(() => null)
    expect(backoff.leftMs()).toBeLessThanOrEqual(30 * second)
    pass(backoff.leftMs())
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, mail) => send(`reader-${mail}@example.test`)),
    )
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
  })

  it('is probed by one email after a pause; the others wait for its outcome', async () => {
    const { send, pass, tries, replyWith } = openWorld()
    replyWith(() => failure(true))
    await send('a@example.test')
    pass(5 * second)
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => send(`${name}@example.test`)))
    expect(outcomes).toEqual(['failed', 'postponed', 'postponed', 'postponed'])
    expect(tries()).toBe(2)
  })

  it('is assumed after consecutive transient refusals of several mailboxes', async () => {
    const { send, backoff, replyWith } = openWorld()
    replyWith(() => failure(false))
    expect(await send('a@example.test')).toBe('failed')
    expect(await send('b@example.test')).toBe('failed')
    expect(backoff.leftMs()).toBe(0)
    expect(await send('c@example.test')).toBe('failed')
    expect(backoff.leftMs()).toBe(5 * second)
  })
})

describe('a mailbox', () => {
  it('that is refused for now pauses only itself', async () => {
    const { send, tries, replyWith } = openWorld()
    replyWith((to) => (to === 'full@example.test' ? failure(false) : null))
    const outcomes = []
    for (let mail = 0; mail < 10; mail++) {
      outcomes.push(await send('full@example.test'))
      expect(await send('fine@example.test')).toBe('accepted')
    }
    expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(3)
    expect(outcomes.filter((outcome) => outcome === 'postponed')).toHaveLength(7)
    expect(tries()).toBe(13)
  })

  it('that is refused for good causes no pause', async () => {
    const { send, tries, backoff, replyWith } = openWorld()
    replyWith((to) => (to.startsWith('gone') ? failure(false, true) : null))
    for (let mail = 0; mail < 10; mail++) expect(await send(`gone-${mail}@example.test`)).toBe('refused')
    expect(tries()).toBe(10)
    expect(backoff.leftMs()).toBe(0)
    expect(await send('fine@example.test')).toBe('accepted')
  })
})
