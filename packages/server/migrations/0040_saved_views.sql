-- Filters, columns and order of the list of checks, under a name.

create table saved_views (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
comment on column saved_views.user_id is 'Who made it; null: a service key. Other members see it only if it is shared.';
create index saved_views_account on saved_views (account_id, name);
comment on index saved_views_account is 'GET /v1/saved-views.';
create index saved_views_user on saved_views (user_id);
comment on index saved_views_user is 'The deletion of a user.';
