-- Who owns what: accounts, the people in them, and the keys they call with.

create table instance (
  key text primary key,
  value jsonb not null
);
comment on table instance is 'Facts of this installation, such as the fingerprint of its secret key.';

create table accounts (
  id uuid primary key,
  name text not null,
  runtime_id text not null,
  plan text not null,
  settings jsonb not null,
  alert_settings jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);

create table users (
  id uuid primary key,
  name text,
  email text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
create unique index users_email on users (lower(email));
comment on index users_email is 'One user per address, whatever its case.';

create table memberships (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  primary key (account_id, user_id)
);
create index memberships_user on memberships (user_id);
comment on index memberships_user is 'The accounts that a user key reaches.';

create table invites (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  role text not null,
  inviter_email text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index invites_account on invites (account_id);
comment on index invites_account is 'The member list of an account.';

create table api_keys (
  id uuid primary key,
  user_id uuid references users on delete cascade,
  account_id uuid references accounts on delete cascade,
  role text,
  name text not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  last_used_at timestamptz(3),
  constraint api_keys_hash unique (hash),
  constraint api_keys_owner check (
    (user_id is not null and account_id is null and role is null)
    or (user_id is null and account_id is not null and role is not null)
  )
);
comment on table api_keys is 'User keys carry their user''s roles; service keys belong to one account and carry their own.';
create index api_keys_user on api_keys (user_id);
create index api_keys_account on api_keys (account_id);
comment on index api_keys_user is 'The keys of a user.';
comment on index api_keys_account is 'The service keys of an account.';

-- Unlogged: after a crash every window starts afresh, which costs nothing that matters.
create unlogged table rate_windows (
  bucket text primary key,
  window_start bigint not null,
  used integer not null
);
comment on table rate_windows is 'Requests leased per bucket and window, in blocks, by all server processes.';
