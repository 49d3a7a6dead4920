// The check types that run over the network. A new type is one line here.
export { apiCheck as API } from './api.ts'
export { dnsMonitor as DNS } from './dns.ts'
export { grpcMonitor as GRPC } from './grpc.ts'
export { icmpMonitor as ICMP } from './icmp.ts'
export { sslMonitor as SSL } from './ssl.ts'
export { tcpMonitor as TCP } from './tcp.ts'
export { tracerouteMonitor as TRACEROUTE } from './traceroute.ts'
export { urlMonitor as URL } from './url.ts'
