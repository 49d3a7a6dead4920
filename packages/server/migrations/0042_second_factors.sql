-- A second factor beside the password: codes of an authenticator app, with recovery codes.

create table totp_factors (
  user_id uuid primary key references users on delete cascade,
  secret jsonb not null,
  last_step bigint not null,
  enrolled_at timestamptz(3) not null
);
comment on table totp_factors is 'Users with a row enter a code after their password.';
comment on column totp_factors.secret is 'Sealed with the id of the user.';
comment on column totp_factors.last_step is 'The 30-second step of the last accepted code: codes up to it no longer work.';

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  hash bytea not null,
  created_at timestamptz(3) not null,
  primary key (user_id, hash)
);
comment on table recovery_codes is 'Deleted when they are used.';
comment on column recovery_codes.hash is 'SHA-256 of the id of the user and the code, which has 80 random bits.';

-- Unlogged: after a crash people begin again.
create unlogged table sign_in_challenges (
  hash bytea primary key,
  kind text not null,
  user_id uuid references users on delete cascade,
  facts jsonb,
  expires_at timestamptz(3) not null
);
comment on table sign_in_challenges is 'What a sign-in or a new factor waits for. Deleted when it is used. Not part of backups.';
comment on column sign_in_challenges.hash is 'SHA-256 of the token or challenge that the client sends back.';
comment on column sign_in_challenges.kind is 'second_factor or totp_enrollment.';
comment on column sign_in_challenges.facts is 'What the next step needs; secrets are sealed.';
create index sign_in_challenges_user on sign_in_challenges (user_id);
comment on index sign_in_challenges_user is 'The challenges that a new password or factor ends.';
