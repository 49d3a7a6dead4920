-- What checks are made of or run from: snippets, variables, certificates, private locations.

create table snippets (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  script text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);

create table variables (
  account_id uuid not null references accounts on delete cascade,
  key text not null,
  value jsonb not null,
  locked boolean not null,
  secret boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  primary key (account_id, key)
);
comment on column variables.value is 'A string, or {"$sealed": …} where the variable is secret or locked.';

create table client_certificates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  host text not null,
  cert text not null,
  ca text,
  private_key jsonb,
  passphrase jsonb,
  created_at timestamptz(3) not null default now()
);
create index client_certificates_account on client_certificates (account_id, created_at);
comment on index client_certificates_account is 'The list of certificates, newest last.';

create table private_locations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  slug_name text not null,
  icon text not null,
  proxy_url jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  constraint private_locations_slug unique (account_id, slug_name)
);

create table private_location_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  private_location_id uuid not null references private_locations on delete cascade,
  hash bytea not null unique,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
create index private_location_keys_location on private_location_keys (private_location_id);
comment on index private_location_keys_location is 'The keys shown with a location.';
