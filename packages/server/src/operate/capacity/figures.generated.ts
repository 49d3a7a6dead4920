// Written by npm run bench -- capacity; do not edit.
import type { CapacityFigures } from './figures.ts'

export const capacityFigures: CapacityFigures = {
  "measured": {
    "on": "2026-11-17",
    "cpu": "Intel(R) Xeon(R) Processor",
    "cores": 2,
    "load": 19.1,
    "node": "v24.21.0",
    "postgres": "18.4",
    "batch": 100
  },
  "idle": {
    "agent": 0,
    "server": 0.021,
    "store": 0.022
  },
  "memory": {
    "serverMb": 315,
    "agentMb": 118,
    "postgresMb": 129,
    "codeRunMb": 571
  },
  "rollup": {
    "serverMicros": 361,
    "storeMicros": 695,
    "hourBytes": 784,
    "dayBytes": 529
  },
  "types": {
    "API": {
      "agentMicros": 2385,
      "serverMicros": 449,
      "storeMicros": 818,
      "walBytes": 4177,
      "linkBytes": 6499,
      "targetBytes": 5519,
      "resultBytes": 360,
      "detailBytes": 1740,
      "artifactBytes": 0,
      "runSeconds": 1.921
    },
    "TCP": {
      "agentMicros": 260,
      "serverMicros": 445,
      "storeMicros": 797,
      "walBytes": 3085,
      "linkBytes": 3455,
      "targetBytes": 0,
      "resultBytes": 351,
      "detailBytes": 556,
      "artifactBytes": 0,
      "runSeconds": 0.111
    },
    "DNS": {
      "agentMicros": 428,
      "serverMicros": 1144,
      "storeMicros": 834,
      "walBytes": 3520,
      "linkBytes": 3958,
      "targetBytes": 97,
      "resultBytes": 334,
      "detailBytes": 1014,
      "artifactBytes": 0,
      "runSeconds": 0.191
    },
    "ICMP": {
      "agentMicros": 9324,
      "serverMicros": 445,
      "storeMicros": 818,
      "walBytes": 4339,
      "linkBytes": 5258,
      "targetBytes": null,
      "resultBytes": 353,
      "detailBytes": 1742,
      "artifactBytes": 0,
      "runSeconds": 7.342
    },
    "SSL": {
      "agentMicros": 2096,
      "serverMicros": 407,
      "storeMicros": 399,
      "walBytes": 3707,
      "linkBytes": 7092,
      "targetBytes": 4196,
      "resultBytes": 366,
      "detailBytes": 1740,
      "artifactBytes": 0,
      "runSeconds": 0.283
    },
    "GRPC": {
      "agentMicros": 929,
      "serverMicros": 412,
      "storeMicros": 537,
      "walBytes": 3951,
      "linkBytes": 4582,
      "targetBytes": 420,
      "resultBytes": 360,
      "detailBytes": 1468,
      "artifactBytes": 0,
      "runSeconds": 0.356
    },
    "TRACEROUTE": {
      "agentMicros": 8454,
      "serverMicros": 445,
      "storeMicros": 818,
      "walBytes": 3788,
      "linkBytes": 4385,
      "targetBytes": null,
      "resultBytes": 368,
      "detailBytes": 1013,
      "artifactBytes": 0,
      "runSeconds": 1.693
    },
    "MULTI_STEP": {
      "agentMicros": 1170785,
      "serverMicros": 445,
      "storeMicros": 818,
      "walBytes": 4528,
      "linkBytes": 11655,
      "targetBytes": 1039,
      "resultBytes": 451,
      "detailBytes": 788,
      "artifactBytes": 2666,
      "runSeconds": 0.53
    },
    "BROWSER": {
      "agentMicros": 2377927,
      "serverMicros": 445,
      "storeMicros": 818,
      "walBytes": 8403,
      "linkBytes": 14269,
      "targetBytes": 3065,
      "resultBytes": 543,
      "detailBytes": 2202,
      "artifactBytes": 2662,
      "runSeconds": 5.261
    },
    "URL": {
      "agentMicros": 2782,
      "serverMicros": 364,
      "storeMicros": 1029,
      "walBytes": 4318,
      "linkBytes": 6368,
      "targetBytes": 5519,
      "resultBytes": 361,
      "detailBytes": 1469,
      "artifactBytes": 0,
      "runSeconds": 2.557
    },
    "HEARTBEAT": {
      "agentMicros": 0,
      "serverMicros": 2862,
      "storeMicros": 2328,
      "walBytes": 1909,
      "linkBytes": 559,
      "targetBytes": null,
      "resultBytes": 245,
      "detailBytes": 0,
      "artifactBytes": 0,
      "runSeconds": 0
    }
  }
}
