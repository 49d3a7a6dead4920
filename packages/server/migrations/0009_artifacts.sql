-- The files that runs leave and that clients upload. The bytes lie in the blob store, once per account; here is what they are.

create table blobs (
  account_id uuid not null,
  sha256 text not null,
  size_bytes bigint not null,
  is_stored boolean not null default false,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null,
  examine_at timestamptz(3) not null,
  primary key (account_id, sha256)
);
comment on table blobs is 'Bytes in the blob store. No reference to the account: the bytes of a deleted one have to be deleted too.';
comment on column blobs.is_stored is 'Whether the bytes are there: the row is written before them, and outlives them.';
comment on column blobs.last_used_at is 'When it was last uploaded or asked for: the result that names it comes soon after.';
comment on column blobs.examine_at is 'From when on it is looked at whether anything still refers to it.';
create index blobs_examine on blobs (examine_at);
comment on index blobs_examine is 'Releasing blobs: those to look at next.';

create table artifacts (
  account_id uuid not null,
  id uuid not null,
  scheduled_at timestamptz(3) not null,
  check_id uuid,
  result_id uuid not null,
  type text not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamptz(3) not null default now(),
  primary key (id, scheduled_at)
) partition by range (scheduled_at);
comment on table artifacts is 'Files of results and of results of test sessions; they go with the results of their day.';
comment on column artifacts.id is 'Begins with scheduled_at, as a UUID of version 7, and follows from result and name: recorded twice, it is the same.';
create index artifacts_of_result on artifacts (result_id);
comment on index artifacts_of_result is 'The asset manifests.';
create index artifacts_of_blob on artifacts (account_id, sha256);
comment on index artifacts_of_blob is 'Releasing blobs: whether one is still referred to.';

create table code_bundles (
  account_id uuid not null references accounts on delete cascade,
  path text not null,
  sha256 text not null,
  size_bytes bigint not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null,
  primary key (account_id, path)
);
comment on table code_bundles is 'What clients uploaded: archives of suites, which checks name by their path, and snapshots to compare with.';
create index code_bundles_of_blob on code_bundles (account_id, sha256);
comment on index code_bundles_of_blob is 'Releasing blobs: whether one is still referred to.';
create index code_bundles_used on code_bundles (last_used_at);
comment on index code_bundles_used is 'Retention: those that nobody used for long.';
create index checks_code_bundle on checks (account_id, (settings ->> 'codeBundlePath')) where settings ? 'codeBundlePath';
comment on index checks_code_bundle is 'Retention: whether a check still names a code bundle.';
