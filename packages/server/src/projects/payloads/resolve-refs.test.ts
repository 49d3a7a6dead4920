import { describe, expect, it } from 'vitest'
import { listReferences, resolveReferences } from './resolve-refs.ts'

const ids: Record<string, string | number> = { 'check-group shop': 7, 'status-page-service api': 'uuid-1' }
const resolve = ({ type, logicalId }: { type: string; logicalId: string }) => ids[`${type} ${logicalId}`]

describe('references between resources', () => {
  it('become ids, at any depth', () => {
    const payload = {
      name: 'A',
      groupId: { ref: 'shop' },
      triggerIncident: { severity: 'MAJOR', serviceId: { ref: 'api' } },
    }
    expect(resolveReferences('check', payload, resolve)).toEqual({
      payload: { name: 'A', groupId: 7, triggerIncident: { severity: 'MAJOR', serviceId: 'uuid-1' } },
      issues: [],
    })
    expect(listReferences('check', payload)).toEqual([
      { type: 'check-group', logicalId: 'shop' },
      { type: 'status-page-service', logicalId: 'api' },
    ])
  })

  it('of cards name services by an object', () => {
    const cards = [{ name: 'Core', services: [{ ref: 'api' }] }]
    expect(resolveReferences('status-page', { cards }, resolve).payload).toEqual({
      cards: [{ name: 'Core', services: [{ id: 'uuid-1' }] }],
    })
  })

  it('leaves other values alone', () => {
    const payload = { groupId: null, triggerIncident: null, other: { ref: 'shop' } }
    expect(resolveReferences('check', payload, resolve)).toEqual({ payload, issues: [] })
  })

  it('that lead nowhere are named', () => {
    const payload = { alertChannelId: { ref: 'gone' }, groupId: { ref: 'shop' } }
    expect(resolveReferences('alert-channel-subscription', payload, resolve).issues).toEqual([
      {
        path: ['alertChannelId'],
        message: 'refers to the alert-channel "gone", which isn\'t part of the deployment',
      },
    ])
  })
})
