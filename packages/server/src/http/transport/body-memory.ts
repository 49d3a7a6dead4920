import { ApiError } from '@vedette/contracts'

const mb = 1024 * 1024

/** Limits the memory of bodies that are being received, in total and per caller, so that one caller can't use it all. */
export class BodyMemory {
  private readonly byCaller = new Map<string, number>()
  private total = 0
  private readonly maxTotal: number
  private readonly maxPerCaller: number

  constructor({ maxTotal = 256 * mb, maxPerCaller = 64 * mb } = {}) {
    this.maxTotal = maxTotal
    this.maxPerCaller = maxPerCaller
  }

  hold(caller: string, bytes: number): void {
    const own = (this.byCaller.get(caller) ?? 0) + bytes
    if (own > this.maxPerCaller || this.total + bytes > this.maxTotal) {
      const message = 'The server is receiving too many large bodies at the moment. Try again in a second.'
      throw new ApiError('unavailable', { message, headers: { 'retry-after': '1' } })
    }
    this.byCaller.set(caller, own)
    this.total += bytes
  }

  release(caller: string, bytes: number): void {
    const own = (this.byCaller.get(caller) ?? 0) - bytes
    if (own > 0) this.byCaller.set(caller, own)
    else this.byCaller.delete(caller)
    this.total -= bytes
  }
}
