import { checkRoutesOf, createPrivateLocation } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentCommand } from '../agent-process.ts'
import { onDemandOnly, Scene } from '../scene.ts'
import { canHaveIslands, Island } from '../target/island.ts'
import { until } from '../until.ts'

const location = 'behind-routers'
const serverPort = 8000
const [first, second, target] = ['10.77.1.1', '10.77.2.2', '10.77.3.2']

/** The agent, two routers and a target. The second router drops half of the packets that it forwards, at random. */
const routers = `
mount -t tmpfs none /run
ip netns add r; ip netns add s; ip netns add t
ip link add a0 type veth peer name r0 netns r
ip -n r link add r1 type veth peer name s0 netns s
ip -n s link add s1 type veth peer name t0 netns t
ip link set a0 up; ip addr add 10.77.1.2/24 dev a0; ip route add default via ${first}
ip -n r link set r0 up; ip -n r addr add ${first}/24 dev r0
ip -n r link set r1 up; ip -n r addr add 10.77.2.1/24 dev r1; ip -n r route add default via ${second}
ip -n s link set s0 up; ip -n s addr add ${second}/24 dev s0; ip -n s route add 10.77.1.0/24 via 10.77.2.1
ip -n s link set s1 up; ip -n s addr add 10.77.3.1/24 dev s1
ip -n t link set t0 up; ip -n t addr add ${target}/24 dev t0; ip -n t route add default via 10.77.3.1
for router in r s; do
  ip netns exec $router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 0 > /proc/sys/net/ipv4/icmp_ratemask'
done
ip netns exec s nft add table inet lossy
ip netns exec s nft add chain inet lossy packets "{ type filter hook forward priority 0; }"
ip netns exec s nft add rule inet lossy packets numgen random mod 2 0 drop
`

describe.skipIf(!canHaveIslands)('a traceroute monitor', { timeout: 180_000 }, () => {
  const scene = new Scene()
  const island = new Island()

  beforeAll(async () => {
    await scene.open()
    const { keys } = await scene.account.call(createPrivateLocation, {
      body: { name: 'Behind routers', slugName: location },
    })
    const { AGENT_HEALTH_PORT: _, ...settings } = scene.agentSettings
    const key = { API_KEY: keys[0]?.rawKey as string, SERVER_URL: `http://127.0.0.1:${serverPort}` }
    await island.settle(
      agentCommand,
      { ...settings, ...key },
      { [serverPort]: scene.installation.port },
      routers,
    )
    await until('the agent behind the routers', () => island.log().includes('agent.ready'), 60_000)
  }, 240_000)
  afterAll(async () => {
    await island.remove()
    await scene.close()
  })

  async function monitor(request: object): Promise<string> {
    const check = await scene.account.call(checkRoutesOf.TRACEROUTE.create, {
      body: {
        name: 'A path',
        ...onDemandOnly,
        locations: [],
        privateLocations: [location],
        doubleCheck: false,
        request: { ptrLookup: false, port: 33_434, ...request },
      } as never,
    })
    return check.id
  }

  it.each(['TCP', 'UDP', 'ICMP'])('finds the hops by %s', async (protocol) => {
    const id = await monitor({ url: second, protocol })
    const result = await scene.account.run(id)
    expect(result).toMatchObject({
      runLocation: location,
      hasFailures: false,
      failure: null,
      tracerouteCheckResult: {
        totalHops: 2,
        destinationReached: true,
        response: { protocol, hops: [{ main_ip: first }, { main_ip: second, loss_percentage: 0 }] },
      },
      metrics: { hopCount: 2, packetLoss: 0 },
    })
    expect(result.metrics.responseTime).toBe(result.responseTime)
  })

  it('measures the loss behind a lossy router, and asserts on it', async () => {
    const { account } = scene
    const id = await monitor({
      url: target,
      protocol: 'UDP',
      assertions: [{ source: 'PACKET_LOSS', comparison: 'EQUALS', target: '0' }],
    })
    // All five packets of a run may get through, or none of them; or none with the right number of hops.
    const lossy = await until(
      'a run that lost some packets',
      async () => {
        const result = await account.run(id)
        const loss = result.metrics.packetLoss ?? 0
        const hops = result.tracerouteCheckResult?.response?.hops
        return loss > 0 && loss < 100 && Array.isArray(hops) && hops.length === 3 && result
      },
      120_000,
    )
    expect(lossy).toMatchObject({
      hasFailures: true,
      failure: { kind: 'assertion', message: expect.stringContaining('packet loss') },
      tracerouteCheckResult: {
        destinationReached: true,
        response: { hops: [{ main_ip: first }, { main_ip: second }, { main_ip: target }] },
      },
    })
  })

  it("fails if the destination isn't reached", async () => {
    const id = await monitor({ url: target, protocol: 'TCP', maxHops: 2 })
    expect(await scene.account.run(id)).toMatchObject({
      hasFailures: true,
      failure: { code: 'MAX_HOPS', message: expect.stringContaining(`was ${second}, hop 2`) },
      tracerouteCheckResult: { destinationReached: false, response: { truncationReason: 'MAX_HOPS' } },
    })
    expect(await scene.account.state(id)).toBe('failing')
  })
})
