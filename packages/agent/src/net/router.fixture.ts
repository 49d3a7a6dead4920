// Network namespaces for tests, which end with the process: this machine, one or two routers, and a target behind them. Needs
// root; no packet reaches the real network.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export const router = '10.77.1.1'
export const target = '10.77.2.2'
/** Behind the router: an address without a host, and one without a route. */
export const silent = '10.77.2.9'
export const unroutable = '10.88.0.1'

/** The kernel drops what is sent before a link is up, and repeats a lost ARP request only after a second. */
const waitForLinks = (links: Record<string, string>) =>
  Object.entries(links)
    .map(
      ([link, options]) => `until ip ${options} link show ${link} | grep -q 'state UP'; do sleep 0.02; done`,
    )
    .join('\n')

const network = `
set -e
mount -t tmpfs none /run
ip netns add r; ip netns add t
ip link add a0 type veth peer name r0 netns r
ip -n r link add r1 type veth peer name t0 netns t
ip link set lo up; ip link set a0 up; ip addr add 10.77.1.2/24 dev a0; ip route add default via ${router}
ip -n r link set r0 up; ip -n r addr add ${router}/24 dev r0
ip -n r link set r1 up; ip -n r addr add 10.77.2.1/24 dev r1
ip -n t link set t0 up; ip -n t addr add ${target}/24 dev t0; ip -n t route add default via 10.77.2.1
ip netns exec r sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 0 > /proc/sys/net/ipv4/icmp_ratemask'
${waitForLinks({ a0: '', r0: '-n r', r1: '-n r', t0: '-n t' })}
exec "$@"
`

/** Behind two routers. The second one can drop half of the packets that it forwards to the target or sends, at random. */
export const far = { first: '10.77.1.1', second: '10.77.2.2', target: '10.77.3.2' }

function twoRouters(lossy: 'forward' | 'output' | null): string {
  const direction = lossy === 'forward' ? 'oifname s1' : ''
  const drop = `nft add rule inet lossy packets ${direction} numgen random mod 2 0 drop`
  const lose = lossy && [
    'nft add table inet lossy',
    `nft add chain inet lossy packets "{ type filter hook ${lossy} priority 0; }"`,
    drop,
  ]
  const forward = 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 0 > /proc/sys/net/ipv4/icmp_ratemask'
  return `
set -e
mount -t tmpfs none /run
ip netns add r; ip netns add s; ip netns add t
ip link add a0 type veth peer name r0 netns r
ip -n r link add r1 type veth peer name s0 netns s
ip -n s link add s1 type veth peer name t0 netns t
ip link set lo up; ip link set a0 up; ip addr add 10.77.1.2/24 dev a0; ip route add default via ${far.first}
ip -n r link set r0 up; ip -n r addr add ${far.first}/24 dev r0
ip -n r link set r1 up; ip -n r addr add 10.77.2.1/24 dev r1; ip -n r route add default via ${far.second}
ip -n s link set s0 up; ip -n s addr add ${far.second}/24 dev s0; ip -n s route add 10.77.1.0/24 via 10.77.2.1
ip -n s link set s1 up; ip -n s addr add 10.77.3.1/24 dev s1
ip -n t link set t0 up; ip -n t addr add ${far.target}/24 dev t0; ip -n t route add default via 10.77.3.1
ip -n t link set lo up
ip netns exec r sh -c '${forward}'
ip netns exec s sh -c '${forward}'
ip netns exec t sh -c 'echo 0 > /proc/sys/net/ipv4/icmp_ratemask'
${waitForLinks({ a0: '', r0: '-n r', r1: '-n r', s0: '-n s', s1: '-n s', t0: '-n t' })}
${lose ? `ip netns exec s sh -c '${lose.join('; ')}'` : ''}
exec "$@"
`
}

const context = `const context = { signal: new AbortController().signal, monotonic: () => performance.now() }`

/** Returns the script's `result`, or a text that explains why the network can't be created here. */
export async function behindRouter<T>(
  script: string,
  { isUnprivileged }: { isUnprivileged: boolean },
): Promise<T | string> {
  return inNetwork(network, script, isUnprivileged)
}

/** Like `behindRouter`, with two routers in between. */
export async function behindTwoRouters<T>(
  script: string,
  {
    lossy = null,
    isUnprivileged = false,
  }: { lossy?: 'forward' | 'output' | null; isUnprivileged?: boolean } = {},
): Promise<T | string> {
  return inNetwork(twoRouters(lossy), script, isUnprivileged)
}

async function inNetwork<T>(network: string, script: string, isUnprivileged: boolean): Promise<T | string> {
  const whole = `${context}\n${script}\nconsole.log(JSON.stringify(result))`
  const node = [process.execPath, '--input-type=module', '-e', whole]
  const drop = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--bounding-set=-all']
  const args = ['-n', '-m', 'sh', '-c', network, 'sh', ...(isUnprivileged ? drop : []), ...node]
  try {
    const { stdout } = await promisify(execFile)('unshare', args)
    return JSON.parse(stdout)
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    return `network namespaces aren't available: ${stderr || error}`
  }
}

export const isRoot = process.platform === 'linux' && process.getuid?.() === 0
