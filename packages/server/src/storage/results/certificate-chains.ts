// The certificate chains that targets of checks have sent. Servers behind one name may take turns with different chains, so a
// chain is new only if it wasn't seen for a while.
import { arrayText, quotedArrayText } from '../core/array-text.ts'
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

interface SeenChain {
  accountId: string
  checkId: string
  chainSha256: string
  subject: string
  issuer: string
  /** Milliseconds, as `seenAt`. */
  validTo: number
  location: string
  seenAt: number
}

/** A check that runs once a day, in turn from several locations, sees some chains only every few days. */
const forgottenAfter = "interval '7 days'"

/** In the steady state it only reads: `last_seen_at` is written once an hour. */
const recordText = `
  with r as (
    select account_id, check_id, chain_sha256, subject, issuer, to_timestamp(valid_to / 1000.0) as valid_to, location,
      to_timestamp(first_at / 1000.0) as first_at, to_timestamp(last_at / 1000.0) as last_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::text[], $8::float8[], $9::float8[])
      as r (account_id, check_id, chain_sha256, subject, issuer, valid_to, location, first_at, last_at)
  ), stale as (
    select c.check_id, c.chain_sha256, c.first_seen_at, r.last_at
    from r join certificate_chains c on c.check_id = r.check_id and c.chain_sha256 = r.chain_sha256
    where c.last_seen_at < r.last_at - interval '1 hour' and c.last_seen_at >= r.first_at - ${forgottenAfter}
    -- Whoever has it locked writes about the same time.
    for update of c skip locked
  ), touched as (
    update certificate_chains c set last_seen_at = stale.last_at from stale
    where c.check_id = stale.check_id and c.chain_sha256 = stale.chain_sha256 and c.first_seen_at = stale.first_seen_at
  )
  insert into certificate_chains
    (account_id, check_id, chain_sha256, first_seen_at, last_seen_at, subject, issuer, valid_to, location)
  select account_id, check_id, chain_sha256, first_at, last_at, subject, issuer, valid_to, location from r
  where not exists (
    select from certificate_chains c where c.check_id = r.check_id and c.chain_sha256 = r.chain_sha256
      and c.last_seen_at >= r.first_at - ${forgottenAfter})
  order by check_id, chain_sha256
  on conflict do nothing`

export async function recordCertificates(client: Client, seen: readonly SeenChain[]): Promise<void> {
  if (seen.length === 0) return
  const chains = [...Map.groupBy(seen, ({ checkId, chainSha256 }) => `${checkId} ${chainSha256}`).values()]
  const firsts = chains.map((all) => all.reduce((a, b) => (b.seenAt < a.seenAt ? b : a)))
  const words = (read: (chain: SeenChain) => string | number) => arrayText(firsts.map(read))
  const texts = (read: (chain: SeenChain) => string) => quotedArrayText(firsts.map(read))
  await client.query({
    name: 'record_certificates',
    text: recordText,
    values: [
      words(({ accountId }) => accountId),
      words(({ checkId }) => checkId),
      words(({ chainSha256 }) => chainSha256),
      texts(({ subject }) => subject),
      texts(({ issuer }) => issuer),
      words(({ validTo }) => validTo),
      texts(({ location }) => location),
      words(({ seenAt }) => seenAt),
      arrayText(chains.map((all) => Math.max(...all.map(({ seenAt }) => seenAt)))),
    ],
  })
}

export interface CertificateChain {
  firstSeenAt: string
  lastSeenAt: string
  subject: string
  issuer: string
  validTo: string
  location: string
  /** `certificate`: the server's own; `chain`: only those above it. Null: it is the first that was seen. */
  changed: 'certificate' | 'chain' | null
}

/** Those that were seen in the range, oldest first; at most the newest `limit`. In milliseconds. */
export async function listCertificateChains(
  pool: Pool,
  { accountId, checkId }: { accountId: string; checkId: string },
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<CertificateChain[]> {
  const { rows } = await pool.query<CertificateChain>({
    name: 'list_certificate_chains',
    text: `
      select * from (
        select first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt", subject, issuer, valid_to as "validTo", location,
          case when lag(subject) over earlier is null then null
            when lag((subject, issuer, valid_to)) over earlier = (subject, issuer, valid_to) then 'chain'
            else 'certificate' end as changed
        from certificate_chains c
        where account_id = $1 and check_id = $2
          -- Two servers may have stored the first sight at once.
          and not exists (select from certificate_chains e where e.check_id = c.check_id and e.chain_sha256 = c.chain_sha256
            and e.first_seen_at < c.first_seen_at and e.last_seen_at >= c.first_seen_at - ${forgottenAfter})
        window earlier as (order by first_seen_at)
      ) chains
      where "firstSeenAt" < to_timestamp($4 / 1000.0) and "lastSeenAt" >= to_timestamp($3 / 1000.0)
      order by "firstSeenAt" desc limit $5`,
    values: [accountId, checkId, from, to, limit],
  })
  return rows.reverse()
}
