import type { ChannelType } from '@vedette/contracts'

/** What the form of a channel edits. */
export interface ChannelValues {
  type: ChannelType
  config: Record<string, unknown>
  sendRecovery: boolean
  sendFailure: boolean
  sendDegraded: boolean
  sslExpiry: boolean
  sslExpiryThreshold: number
  autoSubscribe: boolean
}
