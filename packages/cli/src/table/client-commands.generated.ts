// Generated from packages/cli/src/client; do not edit.
import type { CommandDescription } from '../core/command-description.ts'

export const clientCommands: Readonly<Record<string, CommandDescription>> = {
  "login": {
    "usage": "login [--url URL] [--key KEY] [--account ID]",
    "summary": "checks an API key and stores it, for this command and for the published CLI",
    "options": {
      "url": {
        "type": "string",
        "summary": "address of the server, such as https://monitoring.example.com"
      },
      "key": {
        "type": "string",
        "summary": "API key; \"-\" reads it from the standard input"
      },
      "account": {
        "type": "string",
        "summary": "id of the account, if the key reaches several"
      }
    }
  },
  "logout": {
    "usage": "logout",
    "summary": "removes what \"vedette login\" stored; the API key stays valid",
    "options": {}
  },
  "env": {
    "usage": "env [--shell SHELL] [--url URL] [--account ID]",
    "summary": "prints the variables that the published CLI, Terraform and Pulumi read: eval \"$(vedette env)\"",
    "options": {
      "shell": {
        "type": "string",
        "summary": "the syntax (bash)",
        "values": [
          "bash",
          "zsh",
          "fish",
          "powershell"
        ]
      },
      "url": {
        "type": "string",
        "summary": "address of the server, if not that of the login"
      },
      "account": {
        "type": "string",
        "summary": "id of the account, if not that of the login"
      }
    }
  },
  "doctor": {
    "usage": "doctor",
    "summary": "checks the installation on this machine and the server of the login, and says how to fix what is wrong",
    "options": {}
  },
  "export": {
    "usage": "export [--format FORMAT] [--out DIR] [--force] [--url URL] [--account ID]",
    "summary": "writes the resources of the account as code, without secret values",
    "options": {
      "format": {
        "type": "string",
        "summary": "what to write (constructs)",
        "values": [
          "constructs",
          "terraform"
        ]
      },
      "out": {
        "type": "string",
        "summary": "the directory (vedette-export)"
      },
      "force": {
        "type": "boolean",
        "summary": "replaces an earlier export; other files of the directory stay"
      },
      "url": {
        "type": "string",
        "summary": "address of the server, if not that of the login"
      },
      "account": {
        "type": "string",
        "summary": "id of the account, if not that of the login"
      }
    }
  }
}
