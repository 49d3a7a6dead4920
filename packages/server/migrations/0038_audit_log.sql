-- Who changed what.

create table audit_entries (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  created_at timestamptz(3) not null,
  user_id uuid,
  key_id uuid,
  actor_name text,
  source text not null,
  address text,
  request_id text not null,
  operation text not null,
  summary text not null,
  action text not null,
  outcome text not null default 'unknown',
  resource_kind text not null,
  resource_id text,
  resource_name text,
  changes jsonb not null default '[]',
  check (user_id is not null or key_id is not null)
);
comment on table audit_entries is 'Inserted before a request changes something, and completed after it.';
comment on column audit_entries.user_id is 'No reference: entries outlive users and keys.';
comment on column audit_entries.changes is 'What a caller with READ_ONLY sees before and after: [{field, before, after}].';
create index audit_entries_account on audit_entries (account_id, created_at desc, id);
comment on index audit_entries_account is 'The log of an account.';
create index audit_entries_resource on audit_entries (account_id, resource_id, created_at desc);
comment on index audit_entries_resource is 'The log of one resource.';
create index audit_entries_age on audit_entries (created_at);
comment on index audit_entries_age is 'Deletes old entries.';
