import { afterAll, beforeAll, describe, expect } from 'vitest'
import { Receivers } from '../receivers/receivers.ts'
import { Scene } from '../scene.ts'
import { certificates } from './alerts/certificates.ts'
import { everyChannel } from './alerts/every-channel.ts'
import { incidents } from './alerts/incidents.ts'
import { preparedWebhooks } from './alerts/prepared-webhooks.ts'
import { silenceAndReminders } from './alerts/silence-and-reminders.ts'
import { testMessages } from './alerts/test-messages.ts'
import { troubledChannels } from './alerts/troubled-channels.ts'

const receivers = await Receivers.open()

// The short stories of one installation; the long ones are in alerts.story.ts.
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
