// Written by npm run bench -- capacity; do not edit.
import type { CapacityFigures } from './figures.ts'

export const capacityFigures: CapacityFigures = {
  "measured": {
    "on": "2026-11-18",
    "cpu": "Intel(R) Xeon(R) Processor @ 2.50GHz",
    "cores": 2,
    "load": 1.7,
    "node": "v24.21.0",
    "postgres": "18.4",
    "batch": 200
  },
  "idle": {
    "agent": 0,
    "server": 0.055,
    "store": 0.031
  },
  "memory": {
    "serverMb": 290,
    "agentMb": 205,
    "postgresMb": 136,
    "codeRunMb": 506
  },
  "rollup": {
    "serverMicros": 470,
    "storeMicros": 1170,
    "hourBytes": 749,
    "dayBytes": 523
  },
  "types": {
    "API": {
      "agentMicros": 2417,
      "serverMicros": 564,
      "storeMicros": 612,
      "walBytes": 4268,
      "linkBytes": 6648,
      "targetBytes": 5519,
      "resultBytes": 342,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 0.399
    },
    "TCP": {
      "agentMicros": 258,
      "serverMicros": 528,
      "storeMicros": 488,
      "walBytes": 3133,
      "linkBytes": 3617,
      "targetBytes": 0,
      "resultBytes": 334,
      "detailBytes": 541,
      "artifactBytes": 0,
      "runSeconds": 0.032
    },
    "DNS": {
      "agentMicros": 278,
      "serverMicros": 399,
      "storeMicros": 543,
      "walBytes": 3720,
      "linkBytes": 3947,
      "targetBytes": 97,
      "resultBytes": 317,
      "detailBytes": 995,
      "artifactBytes": 0,
      "runSeconds": 0.032
    },
    "ICMP": {
      "agentMicros": 22786,
      "serverMicros": 477,
      "storeMicros": 547,
      "walBytes": 4398,
      "linkBytes": 4915,
      "targetBytes": null,
      "resultBytes": 334,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 5.128
    },
    "SSL": {
      "agentMicros": 1828,
      "serverMicros": 409,
      "storeMicros": 547,
      "walBytes": 4177,
      "linkBytes": 6819,
      "targetBytes": 4197,
      "resultBytes": 349,
      "detailBytes": 1723,
      "artifactBytes": 0,
      "runSeconds": 0.289
    },
    "GRPC": {
      "agentMicros": 988,
      "serverMicros": 398,
      "storeMicros": 427,
      "walBytes": 3883,
      "linkBytes": 4572,
      "targetBytes": 421,
      "resultBytes": 341,
      "detailBytes": 1452,
      "artifactBytes": 0,
      "runSeconds": 0.192
    },
    "TRACEROUTE": {
      "agentMicros": 14441,
      "serverMicros": 477,
      "storeMicros": 547,
      "walBytes": 3788,
      "linkBytes": 4418,
      "targetBytes": null,
      "resultBytes": 351,
      "detailBytes": 996,
      "artifactBytes": 0,
      "runSeconds": 3.066
    },
    "MULTI_STEP": {
      "agentMicros": 1513307,
      "serverMicros": 477,
      "storeMicros": 547,
      "walBytes": 10040,
      "linkBytes": 12147,
      "targetBytes": 1039,
      "resultBytes": 386,
      "detailBytes": 754,
      "artifactBytes": 2664,
      "runSeconds": 1.741
    },
    "BROWSER": {
      "agentMicros": 2404898,
      "serverMicros": 477,
      "storeMicros": 547,
      "walBytes": 6727,
      "linkBytes": 14182,
      "targetBytes": 3065,
      "resultBytes": 478,
      "detailBytes": 2171,
      "artifactBytes": 2664,
      "runSeconds": 3.336
    },
    "URL": {
      "agentMicros": 2308,
      "serverMicros": 477,
      "storeMicros": 596,
      "walBytes": 4063,
      "linkBytes": 6149,
      "targetBytes": 5519,
      "resultBytes": 341,
      "detailBytes": 1450,
      "artifactBytes": 0,
      "runSeconds": 0.37
    },
    "HEARTBEAT": {
      "agentMicros": 0,
      "serverMicros": 3043,
      "storeMicros": 2688,
      "walBytes": 1949,
      "linkBytes": 556,
      "targetBytes": null,
      "resultBytes": 245,
      "detailBytes": 0,
      "artifactBytes": 0,
      "runSeconds": 0
    }
  }
}
