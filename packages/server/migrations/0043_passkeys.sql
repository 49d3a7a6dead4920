-- Passkeys: people sign in with a key of their device instead of a password.

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint passkeys_credential unique (credential_id)
);
comment on column passkeys.credential_id is 'By which the device names it.';
comment on column passkeys.public_key is 'In COSE, as the device sent it.';
comment on column passkeys.counter is 'How often the device has signed, if it counts: a lower number shows a copy.';
create index passkeys_user on passkeys (user_id);
comment on index passkeys_user is 'The passkeys of a user.';
comment on column sign_in_challenges.kind is 'second_factor, totp_enrollment, passkey_registration or passkey.';
