-- Charts mark when the certificate chain of a target changed.

create table certificate_chains (
  account_id uuid not null,
  check_id uuid not null,
  chain_sha256 text not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  subject text not null,
  issuer text not null,
  valid_to timestamptz(3) not null,
  location text not null,
  primary key (check_id, chain_sha256, first_seen_at),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on table certificate_chains is 'The certificate chains that targets of checks have sent, and when. A chain that returns after a while has another row.';
comment on column certificate_chains.last_seen_at is 'At most an hour too early: not every run writes it.';
comment on column certificate_chains.location is 'Where it was seen first.';
