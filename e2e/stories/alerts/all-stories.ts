// The stories about alerts, of one installation. They don't depend on each other; those that wait longest come first.
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import { Scene } from '../../scene.ts'
import { certificates } from './certificates.ts'
import { everyChannel } from './every-channel.ts'
import { incidents } from './incidents.ts'
import { preparedWebhooks } from './prepared-webhooks.ts'
import { silenceAndReminders } from './silence-and-reminders.ts'
import { testMessages } from './test-messages.ts'
import { troubledChannels } from './troubled-channels.ts'

export function alertStories(receivers: Receivers): void {
  describe('alerts', { timeout: 150_000, concurrent: true }, () => {
    const scene = new Scene()
    beforeAll(() => scene.open(receivers.settings), 180_000)
    afterAll(async () => {
      await scene.close()
      await receivers.close()
      // A message that the real tool would refuse fails the story that sent it.
      expect(receivers.faults).toEqual([])
    })

    describe('muted and reminded', () => silenceAndReminders(scene, receivers))
    describe('through failing channels', () => troubledChannels(scene, receivers))
    describe('through every channel', () => everyChannel(scene, receivers))
    describe('through prepared webhooks', () => preparedWebhooks(scene))
    describe('about certificates', () => certificates(scene, receivers))
    describe('with incidents', () => incidents(scene, receivers))
    describe('as a test', () => testMessages(scene, receivers))
  })
}
