-- People sign in to the app by email and password, with a cookie instead of an API key.

create table passwords (
  user_id uuid primary key references users on delete cascade,
  hash text not null,
  changed_at timestamptz(3) not null
);
comment on table passwords is 'Users without a row have no password: they use API keys, or choose one by a link.';
comment on column passwords.hash is 'Argon2id with its parameters, as a PHC string.';

create table sign_ins (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  hash bytea not null,
  user_agent text,
  address text not null,
  signed_in_at timestamptz(3) not null,
  confirmed_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint sign_ins_hash unique (hash)
);
comment on table sign_ins is 'Not part of backups: a restore must not revive a sign-in that was ended.';
comment on column sign_ins.hash is 'SHA-256 of the value of the cookie.';
comment on column sign_ins.confirmed_at is 'When the password was last entered.';
create index sign_ins_user on sign_ins (user_id);
comment on index sign_ins_user is 'The sign-ins of a user.';

create table one_time_links (
  hash bytea primary key,
  kind text not null,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
comment on table one_time_links is 'Deleted when they are used. Not part of backups.';
comment on column one_time_links.hash is 'SHA-256 of the token in the link.';
comment on column one_time_links.kind is 'setup or reset.';
create index one_time_links_user on one_time_links (user_id);
comment on index one_time_links_user is 'The links that a new password ends.';

-- Unlogged: after a crash counting starts afresh.
create unlogged table sign_in_attempts (
  bucket text primary key,
  failures integer not null,
  failed_at timestamptz(3) not null,
  retry_at timestamptz(3) not null
);
comment on table sign_in_attempts is 'Failed attempts by client, and by client and user.';
comment on column sign_in_attempts.bucket is 'An address, or the hash of an address and an email.';
comment on column sign_in_attempts.retry_at is 'Before that time further attempts are refused.';
