// Generated from the definitions of check types by packages/agent/src/generate.ts; do not edit.

export const typeFacts = {
  "API": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "responseTime": 0,
      "wait": 1,
      "dns": 2,
      "tcp": 3,
      "firstByte": 4,
      "download": 5
    },
    "responseTimeMetric": "responseTime"
  },
  "BROWSER": {
    "capacity": "code",
    "runLimitMs": 300000,
    "metrics": {
      "responseTime": 0,
      "TTFB": 1,
      "FCP": 2,
      "LCP": 3,
      "CLS": 4,
      "TBT": 5,
      "consoleErrors": 6,
      "networkErrors": 7,
      "userScriptErrors": 8,
      "documentErrors": 9
    },
    "responseTimeMetric": "responseTime"
  },
  "MULTI_STEP": {
    "capacity": "code",
    "runLimitMs": 300000,
    "metrics": {
      "responseTime": 0
    },
    "responseTimeMetric": "responseTime"
  },
  "HEARTBEAT": {
    "capacity": null,
    "runLimitMs": 0,
    "metrics": {},
    "responseTimeMetric": null
  },
  "ICMP": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "packetLoss": 0,
      "latencyMin": 1,
      "latencyMax": 2,
      "latencyAvg": 3,
      "latencyStdDev": 4
    },
    "responseTimeMetric": null
  },
  "TCP": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "total": 0,
      "dns": 1,
      "connection": 2,
      "data": 3
    },
    "responseTimeMetric": "total"
  },
  "PLAYWRIGHT": {
    "capacity": "code",
    "runLimitMs": 2400000,
    "metrics": {
      "responseTime": 0
    },
    "responseTimeMetric": "responseTime"
  },
  "URL": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "responseTime": 0,
      "wait": 1,
      "dns": 2,
      "tcp": 3,
      "firstByte": 4,
      "download": 5
    },
    "responseTimeMetric": "responseTime"
  },
  "DNS": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "total": 0
    },
    "responseTimeMetric": "total"
  },
  "AGENTIC": {
    "capacity": "code",
    "runLimitMs": 660000,
    "metrics": {
      "responseTime": 0
    },
    "responseTimeMetric": "responseTime"
  },
  "GRPC": {
    "capacity": "network",
    "runLimitMs": 195000,
    "metrics": {
      "responseTime": 0,
      "dns": 1,
      "tcp": 2,
      "tls": 3,
      "firstByte": 4,
      "download": 5
    },
    "responseTimeMetric": "responseTime"
  },
  "SSL": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "handshakeTimeMs": 0,
      "daysUntilExpiry": 1,
      "keySizeBits": 2,
      "tlsVersion": 3,
      "hostnameVerified": 4,
      "chainTrusted": 5,
      "ocspStapled": 6,
      "baselineVerdict": 7
    },
    "responseTimeMetric": "handshakeTimeMs"
  },
  "TRACEROUTE": {
    "capacity": "network",
    "runLimitMs": 45000,
    "metrics": {
      "responseTime": 0,
      "hopCount": 1,
      "packetLoss": 2,
      "latencyMin": 3,
      "latencyMax": 4,
      "latencyStdDev": 5,
      "unknownHops": 6
    },
    "responseTimeMetric": "responseTime"
  }
} as const

/** What assertions can be made about, over all types. */
export const assertionSources = {
  "STATUS_CODE": {
    "kind": "number",
    "name": "the status code",
    "absent": "There was no response, so there is no status code."
  },
  "JSON_BODY": {
    "kind": "json",
    "name": "the JSON body",
    "absent": "There was no response, so there is no JSON body."
  },
  "HEADERS": {
    "kind": "headers",
    "name": "the response headers",
    "absent": "There was no response, so there are no headers."
  },
  "TEXT_BODY": {
    "kind": "text",
    "name": "the body",
    "absent": "There was no response, so there is no body."
  },
  "RESPONSE_TIME": {
    "kind": "number",
    "name": "the response time",
    "absent": "The response time wasn't measured.",
    "unit": "ms"
  },
  "LATENCY": {
    "kind": "latency",
    "name": "the latency",
    "absent": "There was no reply, so the latency wasn't measured.",
    "unit": "ms"
  },
  "JSON_RESPONSE": {
    "kind": "json",
    "name": "the response",
    "absent": "There was no response."
  },
  "RESPONSE_DATA": {
    "kind": "text",
    "name": "the response data",
    "absent": "The target didn't send any data."
  },
  "RESPONSE_CODE": {
    "kind": "text",
    "name": "the response code",
    "absent": "There was no DNS response, so there is no response code."
  },
  "TEXT_ANSWER": {
    "kind": "text",
    "name": "the DNS response",
    "absent": "There was no DNS response."
  },
  "JSON_ANSWER": {
    "kind": "json",
    "name": "the DNS response",
    "absent": "There was no DNS response."
  },
  "GRPC_STATUS_CODE": {
    "kind": "number",
    "name": "the gRPC status code",
    "absent": "There was no response, so there is no gRPC status code."
  },
  "GRPC_HEALTHCHECK_STATUS": {
    "kind": "number",
    "name": "the health status",
    "absent": "There was no health status: only checks in HEALTH mode have one, and only if the call succeeds."
  },
  "GRPC_RESPONSE": {
    "kind": "json",
    "name": "the response message",
    "absent": "There was no response message."
  },
  "GRPC_METADATA": {
    "kind": "headers",
    "name": "the response metadata",
    "entry": "metadata key",
    "absent": "There was no response, so there is no metadata."
  },
  "CERTIFICATE": {
    "kind": "headers",
    "name": "the certificate",
    "entry": "certificate property",
    "absent": "The server showed no certificate."
  },
  "CONNECTION": {
    "kind": "headers",
    "name": "the connection",
    "entry": "connection property",
    "absent": "There was no TLS handshake."
  },
  "TEXT_RESPONSE": {
    "kind": "text",
    "name": "the response",
    "absent": "There was no TLS handshake."
  },
  "HOP_COUNT": {
    "kind": "number",
    "name": "the number of hops",
    "absent": "There was no trace, so the hops weren't counted."
  },
  "PACKET_LOSS": {
    "kind": "number",
    "name": "the packet loss in percent",
    "absent": "There was no trace, so the packet loss wasn't measured."
  }
} as const
