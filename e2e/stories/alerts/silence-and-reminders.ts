import { updateApiCheck } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import type { Scene } from '../../scene.ts'
import { openWatchedShop } from './watched-shop.ts'

export function silenceAndReminders(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)

  it("a reminder is sent while nothing changes, and isn't an alert", {
    tags: ['story'],
  }, async () => {
    const { account } = scene
    const address = 'patient@shop.test'
    const channel = await shop.channel({ type: 'EMAIL', config: { address } })
    const id = await shop.check('/reminded', [channel], {
      useGlobalAlertSettings: false,
      // The shortest interval.
      alertSettings: { reminders: { amount: 1, interval: 1 } },
    })
    shop.breaks('/reminded')
    await account.session(id)
    const [alert] = await shop.waitForMessages(channel, 1)
    await shop.waitForMessages(channel, 2, 90_000)
    shop.fix('/reminded')
    await account.session(id)
    const log = await shop.waitForMessages(channel, 3)
    expect(receivers.mail.to(address).map(({ subject }) => subject)).toEqual([
      'Check "Shop /reminded" has failed',
      'Reminder: check "Shop /reminded" is still failing',
      'Check "Shop /reminded" has recovered',
    ])
    expect(log[1]?.checkAlertId).toBe(alert?.checkAlertId)
    expect(await shop.alertTypes(id)).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'])
  })

  it('a muted check notifies no channel, and its alerts are held back and stored', async () => {
    const { account } = scene
    const address = 'asleep@shop.test'
    const channel = await shop.channel({ type: 'EMAIL', config: { address }, sendDegraded: true })
    const id = await shop.check('/muted', [channel], { muted: true })
    shop.breaks('/muted')
    await account.session(id)
    expect(await account.state(id)).toBe('failing')
    shop.fix('/muted')
    await account.session(id)
    expect(await shop.alertTypes(id)).toEqual(['NO_ALERT', 'NO_ALERT'])
    expect(await shop.log(channel)).toEqual([])
    await account.call(updateApiCheck, { params: { id }, body: { muted: false } })
    shop.breaks('/muted')
    await account.session(id)
    await shop.waitForMessages(channel, 1)
    expect(receivers.mail.to(address).map(({ subject }) => subject)).toEqual([
      'Check "Shop /muted" has failed',
    ])
  })

  it('a threshold waits for that many failed runs, and shorter failures notify no channel', async () => {
    const { account } = scene
    const address = 'third@shop.test'
    const channel = await shop.channel({ type: 'EMAIL', config: { address } })
    const id = await shop.check('/third', [channel], {
      useGlobalAlertSettings: false,
      alertSettings: { runBasedEscalation: { failedRunThreshold: 3 } },
    })
    for (const failedRuns of [2, 3]) {
      shop.breaks('/third')
      for (let run = 0; run < failedRuns; run++) await account.session(id)
      shop.fix('/third')
      await account.session(id)
    }
    await shop.waitForMessages(channel, 2)
    expect(receivers.mail.to(address).map(({ subject }) => subject)).toEqual([
      'Check "Shop /third" has failed',
      'Check "Shop /third" has recovered',
    ])
    expect(await shop.alertTypes(id)).toEqual([
      'NO_ALERT',
      'NO_ALERT',
      'NO_ALERT',
      'ALERT_FAILURE_REMAIN',
      'ALERT_RECOVERY',
    ])
  })
}
