-- Pages as they would be, shown beside their editor for some minutes.

create unlogged table page_previews (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  draft jsonb not null,
  created_at timestamptz(3) not null
);
comment on table page_previews is 'Drafts of status pages and dashboards. Adding one deletes those that are over.';
create index page_previews_account on page_previews (account_id, created_at desc);
comment on index page_previews_account is 'Limits the previews of an account.';
create index page_previews_age on page_previews (created_at);
comment on index page_previews_age is 'Deletes previews that are over.';
