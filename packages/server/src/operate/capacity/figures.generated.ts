// Written by npm run bench -- capacity; do not edit.
import type { CapacityFigures } from './figures.ts'

export const capacityFigures: CapacityFigures = {
  "measured": {
    "on": "2026-11-19",
    "cpu": "Intel(R) Xeon(R) Processor @ 2.50GHz",
    "cores": 2,
    "load": 6.1,
    "node": "v24.21.0",
    "postgres": "18.4",
    "batch": 200
  },
  "idle": {
    "agent": 0,
    "server": 0.04,
    "store": 0.01
  },
  "memory": {
    "serverMb": 261,
    "agentMb": 239,
    "postgresMb": 95,
    "codeRunMb": 356
  },
  "rollup": {
    "serverMicros": 392,
    "storeMicros": 550,
    "hourBytes": 749,
    "dayBytes": 523
  },
  "types": {
    "API": {
      "agentMicros": 2317,
      "serverMicros": 1025,
      "storeMicros": 777,
      "walBytes": 4048,
      "linkBytes": 6479,
      "targetBytes": 5519,
      "resultBytes": 342,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 0.349
    },
    "TCP": {
      "agentMicros": 278,
      "serverMicros": 365,
      "storeMicros": 574,
      "walBytes": 3062,
      "linkBytes": 3445,
      "targetBytes": 0,
      "resultBytes": 334,
      "detailBytes": 540,
      "artifactBytes": 0,
      "runSeconds": 0.034
    },
    "DNS": {
      "agentMicros": 428,
      "serverMicros": 468,
      "storeMicros": 635,
      "walBytes": 3445,
      "linkBytes": 3947,
      "targetBytes": 97,
      "resultBytes": 315,
      "detailBytes": 995,
      "artifactBytes": 0,
      "runSeconds": 0.041
    },
    "ICMP": {
      "agentMicros": 23836,
      "serverMicros": 636,
      "storeMicros": 635,
      "walBytes": 4453,
      "linkBytes": 5082,
      "targetBytes": null,
      "resultBytes": 334,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 5.104
    },
    "SSL": {
      "agentMicros": 2158,
      "serverMicros": 922,
      "storeMicros": 801,
      "walBytes": 4175,
      "linkBytes": 6818,
      "targetBytes": 4197,
      "resultBytes": 349,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 0.332
    },
    "GRPC": {
      "agentMicros": 868,
      "serverMicros": 586,
      "storeMicros": 484,
      "walBytes": 3820,
      "linkBytes": 4570,
      "targetBytes": 421,
      "resultBytes": 342,
      "detailBytes": 1452,
      "artifactBytes": 0,
      "runSeconds": 0.165
    },
    "TRACEROUTE": {
      "agentMicros": 14781,
      "serverMicros": 636,
      "storeMicros": 635,
      "walBytes": 3909,
      "linkBytes": 4248,
      "targetBytes": null,
      "resultBytes": 350,
      "detailBytes": 999,
      "artifactBytes": 0,
      "runSeconds": 3.054
    },
    "MULTI_STEP": {
      "agentMicros": 750482,
      "serverMicros": 636,
      "storeMicros": 635,
      "walBytes": 9646,
      "linkBytes": 11646,
      "targetBytes": 1039,
      "resultBytes": 386,
      "detailBytes": 754,
      "artifactBytes": 2663,
      "runSeconds": 0.869
    },
    "BROWSER": {
      "agentMicros": 1610704,
      "serverMicros": 636,
      "storeMicros": 635,
      "walBytes": 12146,
      "linkBytes": 13779,
      "targetBytes": 3065,
      "resultBytes": 478,
      "detailBytes": 2171,
      "artifactBytes": 2663,
      "runSeconds": 2.212
    },
    "URL": {
      "agentMicros": 1888,
      "serverMicros": 636,
      "storeMicros": 560,
      "walBytes": 3957,
      "linkBytes": 5979,
      "targetBytes": 5519,
      "resultBytes": 342,
      "detailBytes": 1450,
      "artifactBytes": 0,
      "runSeconds": 0.307
    },
    "HEARTBEAT": {
      "agentMicros": 0,
      "serverMicros": 2455,
      "storeMicros": 3204,
      "walBytes": 3924,
      "linkBytes": 558,
      "targetBytes": null,
      "resultBytes": 247,
      "detailBytes": 0,
      "artifactBytes": 0,
      "runSeconds": 0
    }
  }
}
