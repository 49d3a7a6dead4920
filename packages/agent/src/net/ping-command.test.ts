import { describe, expect, it } from 'vitest'
import { parsePingOutput } from './ping-command.ts'

const lost = (sequence: number) => ({
  sequence,
  type: null,
  code: null,
  success: false,
  rtt: null,
  ttl: null,
})
const reply = (sequence: number, rtt: number, ttl = 64, type = 0) => {
  return { sequence, type, code: 0, success: true, rtt, ttl }
}

const iputils = `PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.
64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.023 ms
64 bytes from 127.0.0.1: icmp_seq=3 ttl=53 time=12.5 ms
64 bytes from 127.0.0.1: icmp_seq=3 ttl=53 time=99 ms (DUP!)

--- 127.0.0.1 ping statistics ---
3 packets transmitted, 2 received, 33.3333% packet loss, time 1002ms
`

const unreachable = `PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.
From 10.0.0.1 icmp_seq=1 Destination Host Unreachable
From 10.0.0.1 icmp_seq=2 Destination Net Unreachable
`

const busyBox = `PING 127.0.0.1 (127.0.0.1): 56 data bytes
64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.051 ms
64 bytes from 127.0.0.1: seq=1 ttl=64 time=0.060 ms
`

const inetutils = `PING 127.0.0.1 (127.0.0.1): 56 data bytes
64 bytes from 127.0.0.1: icmp_seq=0 ttl=64 time=0.041 ms
64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=0.060 ms
`

const iputils6 = `PING ::1(::1) 56 data bytes
64 bytes from ::1: icmp_seq=1 ttl=64 time=0.030 ms
64 bytes from localhost (::1): icmp_seq=2 ttl=64 time=0.031 ms
`

const expiring = `PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
From gateway (10.0.0.1): icmp_seq=1 Time to live exceeded
From 10.0.0.1 icmp_seq=2 Packet filtered
`

const mac = `PING ::1 (::1): 56 data bytes
64 bytes from ::1, icmp_seq=0 hlim=64 time=0.071 ms
`

describe('parsePingOutput', () => {
  it.each([
    ['iputils', iputils, '127.0.0.1', 'linux', [reply(0, 0.023), lost(1), reply(2, 12.5, 53)]],
    ['BusyBox', busyBox, '127.0.0.1', 'linux', [reply(0, 0.051), reply(1, 0.06)]],
    ['inetutils', inetutils, '127.0.0.1', 'linux', [reply(0, 0.041), lost(1), reply(2, 0.06)]],
    ['iputils of IPv6', iputils6, '::1', 'linux', [reply(0, 0.03, 64, 129), reply(1, 0.031, 64, 129)]],
    [
      'a router that stops it',
      expiring,
      '192.0.2.1',
      'linux',
      [
        { ...lost(0), error: 'EHOSTUNREACH' },
        { ...lost(1), error: 'Packet filtered' },
      ],
    ],
    ['macOS', mac, '::1', 'darwin', [reply(0, 0.071, 64, 129)]],
    [
      'a router that has no way',
      unreachable,
      '10.0.0.9',
      'linux',
      [
        { ...lost(0), error: 'EHOSTUNREACH' },
        { ...lost(1), error: 'ENETUNREACH' },
      ],
    ],
    ['nothing at all', '', '127.0.0.1', 'linux', [lost(0)]],
  ] as const)('parses the output of %s', (_, output, address, platform, results) => {
    expect(parsePingOutput(output, { address, count: results.length }, platform)).toEqual(results)
  })
})
