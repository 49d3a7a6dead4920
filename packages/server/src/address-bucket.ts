/** What requests of one caller are counted under. IPv6 callers own a whole /64, so that is what is counted. */
export function addressBucket({ ip }: { ip: string }): string {
  return ip.includes(':') && !ip.includes('.') ? `ip:${ip.split(':').slice(0, 4).join(':')}` : `ip:${ip}`
}
