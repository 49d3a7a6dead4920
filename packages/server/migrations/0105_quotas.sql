-- Operators of several accounts limit what each of them uses.

create table quotas (
  account_id uuid references accounts (id) on delete cascade,
  runs_per_minute integer check (runs_per_minute >= 0),
  code_seconds_per_hour integer check (code_seconds_per_hour >= 0),
  artifact_bytes bigint check (artifact_bytes >= 0),
  updated_at timestamptz(3) not null default now(),
  constraint quotas_of_account unique nulls not distinct (account_id)
);
comment on table quotas is 'Limits of accounts, set by the operator. A column that is null has no limit.';
comment on column quotas.account_id is 'Null: accounts without a row of their own.';

create table quota_usage (
  account_id uuid primary key references accounts (id) on delete cascade,
  minute_at timestamptz(0) not null,
  runs integer not null
);
comment on table quota_usage is 'The runs of accounts with a limit, in the last minute in which they had any.';
