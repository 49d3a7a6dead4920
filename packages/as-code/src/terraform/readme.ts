// The README of an export: how to use the files, and what they don't contain.

export interface Unwritten {
  readonly address: string
  readonly title: string
  readonly fields: readonly string[]
}

interface Contents {
  readonly unwritten: readonly Unwritten[]
  /** Titles of resources that the provider doesn't have. */
  readonly unknown: readonly string[]
  /** Variables that hold paths of archives. */
  readonly bundles: readonly string[]
  /** Addresses of status pages that are made of components. */
  readonly componentPages: readonly string[]
}

const use = `# Monitoring as Terraform files

These files describe the resources of one account. They need Terraform 1.5 or later and the provider \`checkly/checkly\`.

\`\`\`sh
export CHECKLY_API_URL=https://vedette.example.com   # the server, without a path
export CHECKLY_API_KEY=…                             # a key with the role READ_WRITE; private locations need ADMIN
export CHECKLY_ACCOUNT_ID=…
cp terraform.tfvars.example terraform.tfvars         # then fill in the values; keep the file out of version control
terraform init
terraform plan
terraform apply
\`\`\`

## This account, or another one

\`imports.tf\` adopts the resources that exist: with it, the plan imports them and creates nothing. Use it in the account that was
exported. Delete \`imports.tf\` to create everything in another account, and after the first apply.

## Secrets

Secret values aren't in these files. Each is a sensitive variable in \`variables.tf\`; \`terraform.tfvars.example\` lists them.
`

const limits = `## What differs after an apply

- Heartbeat monitors, triggers, private locations and private dashboards get new URLs and keys in another account.
- Triggers aren't imported: the provider creates them again, and the server returns those that exist.
- Client certificates are replaced by the first apply, since their keys can't be read. Add \`passphrase\` if a key is encrypted.
- The order of assertions isn't kept: the provider treats them as a set.
`

export function exportReadme({ unwritten, unknown, bundles, componentPages }: Contents): string {
  return [
    use,
    limits,
    ...(bundles.length === 0 ? [] : [bundlesSection(bundles)]),
    ...(componentPages.length === 0
      ? []
      : [
          listSection(
            'Status pages of components',
            componentsIntro,
            componentPages.map((one) => `\`${one}\``),
          ),
        ]),
    ...(unknown.length === 0
      ? []
      : [listSection('Resources without a Terraform resource', unknownIntro, unknown)]),
    ...(unwritten.length === 0
      ? []
      : [listSection('Settings without an attribute', unwrittenIntro, unwritten.map(describe))]),
  ].join('\n')
}

const componentsIntro =
  "The provider manages these, their components and their rules by routes under `/v3`, which the server doesn't have yet. Move them out of `status_pages.tf` and `imports.tf` until it does:"
const unknownIntro = "The provider doesn't have these, so they aren't part of the files:"
const unwrittenIntro =
  'The provider has no attribute for these settings. They stay as they are in this account, and are missing in another one:'

const describe = ({ address, title, fields }: Unwritten) =>
  `\`${address}\` (${escapeMarkdown(title)}): ${fields.map((field) => `\`${field}\``).join(', ')}`

function bundlesSection(variables: readonly string[]): string {
  return listSection(
    'Code bundles',
    "The archives of these Playwright suites don't exist on the server anymore. Create them again, and set these variables to their paths:",
    variables.map((name) => `\`${name}\``),
  )
}

function listSection(title: string, intro: string, items: readonly string[]): string {
  return `## ${title}\n\n${intro}\n\n${items.map((item) => `- ${item}\n`).join('')}`
}

const escapeMarkdown = (text: string) => text.replace(/\s+/g, ' ').replace(/[`*_[\]<>]/g, '\\$&')
