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

// The short stories of one installation; those that take long are in alerts.story.ts.
describe('who hears what', { timeout: 150_000, concurrent: true }, () => {
  const scene = new Scene()
  beforeAll(() => scene.open(receivers.settings), 180_000)
  afterAll(async () => {
    await scene.close()
    await receivers.close()
    // A message that the real tool would not take fails the story that sent it, whoever that was.
    expect(receivers.faults).toEqual([])
  })

  describe('in silence', () => silenceAndReminders(scene, receivers))
  describe('through troubled channels', () => troubledChannels(scene, receivers))
  describe('through every channel', () => everyChannel(scene, receivers))
  describe('through prepared webhooks', () => preparedWebhooks(scene))
  describe('of certificates', () => certificates(scene, receivers))
  describe('of incidents', () => incidents(scene, receivers))
  describe('as a test', () => testMessages(scene, receivers))
})
