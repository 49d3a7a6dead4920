// Generated from packages/server/src/operate; do not edit.
import type { CommandDescription } from '../core/command-description.ts'

export const operateCommands: Readonly<Record<string, CommandDescription>> = {
  "accounts list": {
    "usage": "accounts list",
    "summary": "lists all accounts with their plan, members and checks",
    "options": {},
    "words": 0
  },
  "accounts create": {
    "usage": "accounts create --name NAME [--plan PLAN] [--owner-email EMAIL]",
    "summary": "creates an account, with an owner (new or existing) and a key for them",
    "options": {
      "name": {
        "type": "string"
      },
      "plan": {
        "type": "string",
        "values": [
          "self-hosted",
          "hobby",
          "starter",
          "team",
          "CONTRACT"
        ]
      },
      "owner-email": {
        "type": "string"
      }
    },
    "words": 0
  },
  "accounts set-plan": {
    "usage": "accounts set-plan ID PLAN",
    "summary": "changes the plan: self-hosted, hobby, starter, team or CONTRACT",
    "options": {},
    "words": 2
  },
  "accounts rename": {
    "usage": "accounts rename ID NAME",
    "summary": "changes the name",
    "options": {},
    "words": 2
  },
  "accounts delete": {
    "usage": "accounts delete ID --yes",
    "summary": "deletes an account and all its data permanently",
    "options": {
      "yes": {
        "type": "boolean"
      }
    },
    "words": 1
  },
  "setup-link": {
    "usage": "setup-link",
    "summary": "prints a link by which the owner of the first account chooses name, email and password",
    "options": {},
    "words": 0
  },
  "users list": {
    "usage": "users list",
    "summary": "lists all users and their roles",
    "options": {},
    "words": 0
  },
  "users create": {
    "usage": "users create --email EMAIL [--name NAME] [--account ID --role ROLE]",
    "summary": "creates a user; vedette keys create gives them a key",
    "options": {
      "email": {
        "type": "string"
      },
      "name": {
        "type": "string"
      },
      "account": {
        "type": "string"
      },
      "role": {
        "type": "string",
        "values": [
          "READ_ONLY",
          "READ_RUN",
          "READ_WRITE",
          "ADMIN",
          "OWNER"
        ]
      }
    },
    "words": 0
  },
  "users set-role": {
    "usage": "users set-role --account ID --email EMAIL --role ROLE",
    "summary": "sets their role in an account: READ_ONLY, READ_RUN, READ_WRITE, ADMIN or OWNER",
    "options": {
      "account": {
        "type": "string"
      },
      "email": {
        "type": "string"
      },
      "role": {
        "type": "string",
        "values": [
          "READ_ONLY",
          "READ_RUN",
          "READ_WRITE",
          "ADMIN",
          "OWNER"
        ]
      }
    },
    "words": 0
  },
  "users set-email": {
    "usage": "users set-email OLD NEW",
    "summary": "changes the address of a user, such as the owner created at the first start",
    "options": {},
    "words": 2
  },
  "users reset": {
    "usage": "users reset EMAIL [--remove-factors]",
    "summary": "prints a link by which they choose a new password; removes lost factors on request",
    "options": {
      "remove-factors": {
        "type": "boolean"
      }
    },
    "words": 1
  },
  "users remove": {
    "usage": "users remove --account ID --email EMAIL",
    "summary": "removes a user from an account",
    "options": {
      "account": {
        "type": "string"
      },
      "email": {
        "type": "string"
      }
    },
    "words": 0
  },
  "keys list": {
    "usage": "keys list [--account ID]",
    "summary": "lists all API keys, masked; or those with access to one account",
    "options": {
      "account": {
        "type": "string"
      }
    },
    "words": 0
  },
  "keys create": {
    "usage": "keys create [--email EMAIL | --account ID --role ROLE] [--name NAME]",
    "summary": "creates a key for a user, or a service key; without options, for the first owner of the only account",
    "options": {
      "email": {
        "type": "string"
      },
      "account": {
        "type": "string"
      },
      "role": {
        "type": "string",
        "values": [
          "READ_ONLY",
          "READ_RUN",
          "READ_WRITE",
          "ADMIN",
          "OWNER"
        ]
      },
      "name": {
        "type": "string"
      }
    },
    "words": 0
  },
  "keys revoke": {
    "usage": "keys revoke KEY_ID",
    "summary": "revokes a key",
    "options": {},
    "words": 1
  },
  "agent-keys list": {
    "usage": "agent-keys list",
    "summary": "lists the keys of data-center agents, masked",
    "options": {},
    "words": 0
  },
  "agent-keys create": {
    "usage": "agent-keys create --name NAME",
    "summary": "creates a key for data-center agents, which run the checks of every account",
    "options": {
      "name": {
        "type": "string"
      }
    },
    "words": 0
  },
  "agent-keys delete": {
    "usage": "agent-keys delete KEY_ID",
    "summary": "deletes a key: its agents can no longer claim runs",
    "options": {},
    "words": 1
  },
  "quotas list": {
    "usage": "quotas list",
    "summary": "lists the limits of accounts, and those of all others",
    "options": {},
    "words": 0
  },
  "quotas set": {
    "usage": "quotas set [--account ID] [--runs-per-minute N] [--code-seconds-per-hour N] [--artifact-mb N]",
    "summary": "sets the limits of an account, or without --account those of all that have none of their own; what is left out has no limit",
    "options": {
      "account": {
        "type": "string"
      },
      "runs-per-minute": {
        "type": "string"
      },
      "code-seconds-per-hour": {
        "type": "string"
      },
      "artifact-mb": {
        "type": "string"
      }
    },
    "words": 0
  },
  "quotas remove": {
    "usage": "quotas remove [--account ID]",
    "summary": "removes the limits of an account, to which those of all accounts apply again; without --account removes those",
    "options": {
      "account": {
        "type": "string"
      }
    },
    "words": 0
  },
  "links revoke": {
    "usage": "links revoke [--account ID]",
    "summary": "revokes all links to results, sessions and analyses that were sent so far",
    "options": {
      "account": {
        "type": "string"
      }
    },
    "words": 0
  },
  "pages export": {
    "usage": "pages export DIR [--include-private] [--url URL]",
    "summary": "writes the status pages into a directory as files for any web server",
    "options": {
      "include-private": {
        "type": "boolean"
      },
      "url": {
        "type": "string"
      }
    },
    "words": 1
  },
  "secret-key show-fingerprint": {
    "usage": "secret-key show-fingerprint",
    "summary": "shows the fingerprint of the key that seals the secrets, and whether it is the configured one",
    "options": {},
    "words": 0
  },
  "secret-key rotate": {
    "usage": "secret-key rotate [--new-key-file FILE] [--leave-unreadable]",
    "summary": "seals all secrets with a new key; stop the server first",
    "options": {
      "new-key-file": {
        "type": "string"
      },
      "leave-unreadable": {
        "type": "boolean"
      }
    },
    "words": 0
  },
  "migrate": {
    "usage": "migrate",
    "summary": "brings the schema of the database up to date, and starts nothing",
    "options": {},
    "words": 0
  },
  "backup": {
    "usage": "backup FILE.tar | FILE.tar.gz | -  [--without-secret-key]",
    "summary": "writes all data to one file (- is stdout), also while the server runs",
    "options": {
      "without-secret-key": {
        "type": "boolean"
      }
    },
    "words": 1
  },
  "restore": {
    "usage": "restore FILE [--replace --yes]",
    "summary": "restores a backup into an empty installation, or with --replace over all data; stop the server first",
    "options": {
      "replace": {
        "type": "boolean"
      },
      "yes": {
        "type": "boolean"
      }
    },
    "words": 1
  },
  "scale-out": {
    "usage": "scale-out [--check] [--shards NUMBER] [--undo]",
    "summary": "distributes the history of checks over the machines of a cluster, while the server runs",
    "options": {
      "check": {
        "type": "boolean"
      },
      "shards": {
        "type": "string"
      },
      "undo": {
        "type": "boolean"
      }
    },
    "words": 0
  },
  "capacity": {
    "usage": "capacity [--url COUNT[:EVERY[:LOCATIONS]]] [--api …] [--browser …] [--multistep …] [--heartbeat …] [--icmp …] [--tcp …] [--playwright …] [--dns …] [--agentic …] [--grpc …] [--ssl …] [--traceroute …] [--result-days N] [--detail-days N] [--rollup-months N] [--detail-percent N] [--agent-cores N] [--database-cores N] [--disk-mb-per-second N] [--servers N] [--agents N]",
    "summary": "computes what checks need: cores, memory, disk, network, and what saturates first; without checks, for those of this installation",
    "options": {
      "api": {
        "type": "string"
      },
      "browser": {
        "type": "string"
      },
      "multistep": {
        "type": "string"
      },
      "heartbeat": {
        "type": "string"
      },
      "icmp": {
        "type": "string"
      },
      "tcp": {
        "type": "string"
      },
      "playwright": {
        "type": "string"
      },
      "url": {
        "type": "string"
      },
      "dns": {
        "type": "string"
      },
      "agentic": {
        "type": "string"
      },
      "grpc": {
        "type": "string"
      },
      "ssl": {
        "type": "string"
      },
      "traceroute": {
        "type": "string"
      },
      "result-days": {
        "type": "string"
      },
      "detail-days": {
        "type": "string"
      },
      "rollup-months": {
        "type": "string"
      },
      "detail-percent": {
        "type": "string"
      },
      "agent-cores": {
        "type": "string"
      },
      "database-cores": {
        "type": "string"
      },
      "disk-mb-per-second": {
        "type": "string"
      },
      "servers": {
        "type": "string"
      },
      "agents": {
        "type": "string"
      }
    },
    "words": 0
  }
}
