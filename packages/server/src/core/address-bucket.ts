/** What requests of one caller are counted under. IPv6 callers own a whole /64, so that is what is counted. */
export function addressBucket({ ip }: { ip: string }): string {
  return ip.includes(':') && !ip.includes('.') ? `ip:${networkOf(ip)}` : `ip:${ip}`
}

/** The first four words, those that `::` stands for included. */
function networkOf(ip: string): string {
  const [front = [], back = []] = ip
    .split('::')
    .map((words) => words.split(':').filter((word) => word !== ''))
  const zeros = ip.includes('::') ? new Array<string>(8 - front.length - back.length).fill('0') : []
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
