-- Who a user is at the identity provider of the operator (OpenID Connect).

create table identities (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  constraint identities_subject unique (issuer, subject)
);
comment on table identities is 'Issuer and subject name a person for good; an email may pass to someone else.';
comment on column identities.email is 'As the provider had it at the last sign-in; only shown.';
create index identities_user on identities (user_id);
comment on index identities_user is 'The identities of a user.';
comment on column sign_in_challenges.kind is 'second_factor, totp_enrollment, passkey_registration, passkey or single_sign_on.';
