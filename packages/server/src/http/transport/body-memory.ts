import { ApiError } from '@vedette/contracts'

const mb = 1024 * 1024

/**
 * Bytes of bodies that are being received. Without it a hundred connections of one key could make the server hold a hundred of
 * the largest bodies; one caller can't take the share of the others.
 */
export class BodyMemory {
  private readonly ofCallers = new Map<string, number>()
  private total = 0
  private readonly maxTotal: number
  private readonly maxPerCaller: number

  constructor({ maxTotal = 256 * mb, maxPerCaller = 64 * mb } = {}) {
    this.maxTotal = maxTotal
    this.maxPerCaller = maxPerCaller
  }

  hold(caller: string, bytes: number): void {
    const own = (this.ofCallers.get(caller) ?? 0) + bytes
    if (own > this.maxPerCaller || this.total + bytes > this.maxTotal) {
      const message = 'The server is receiving too many large bodies at the moment. Try again in a second.'
      throw new ApiError('unavailable', { message, headers: { 'retry-after': '1' } })
    }
    this.ofCallers.set(caller, own)
    this.total += bytes
  }

  release(caller: string, bytes: number): void {
    const own = (this.ofCallers.get(caller) ?? 0) - bytes
    if (own > 0) this.ofCallers.set(caller, own)
    else this.ofCallers.delete(caller)
    this.total -= bytes
  }
}
