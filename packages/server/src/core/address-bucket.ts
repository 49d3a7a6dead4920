/** The rate-limit bucket of an address. IPv6 callers own a whole /64, so they share one bucket. */
export function addressBucket({ ip }: { ip: string }): string {
  return ip.includes(':') && !ip.includes('.') ? `ip:${networkOf(ip)}` : `ip:${ip}`
}

/** The first four groups, with `::` expanded. */
function networkOf(ip: string): string {
  const [front = [], back = []] = ip
    .split('::')
    .map((words) => words.split(':').filter((word) => word !== ''))
  const zeros = ip.includes('::') ? new Array<string>(8 - front.length - back.length).fill('0') : []
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
