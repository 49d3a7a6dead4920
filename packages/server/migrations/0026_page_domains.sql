-- Domains of customers: one page per domain, over dashboards and status pages of all accounts.

create table page_domains (
  domain text primary key,
  account_id uuid not null references accounts on delete cascade,
  dashboard_id integer,
  status_page_id uuid,
  created_at timestamptz(3) not null default now(),
  check_at timestamptz(3) not null,
  proven_at timestamptz(3),
  missing_since timestamptz(3),
  problem text,
  constraint page_domains_dashboard unique (dashboard_id),
  constraint page_domains_status_page unique (status_page_id),
  check (num_nonnulls(dashboard_id, status_page_id) = 1),
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade,
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
comment on column page_domains.domain is 'In lower case, as browsers send it.';
comment on column page_domains.check_at is 'When its DNS record is looked up next.';
comment on column page_domains.proven_at is 'Since when the record proves that the domain belongs to the account; null: it does not.';
comment on column page_domains.missing_since is 'Since when the record of a proven domain is gone.';
comment on column page_domains.problem is 'What the last lookup found instead of the record.';
create index page_domains_due on page_domains (check_at);
comment on index page_domains_due is 'The domains whose record is looked up next.';

-- A dashboard and a status page could have the same domain until now: the older one keeps it.
insert into page_domains (domain, account_id, dashboard_id, status_page_id, check_at)
select distinct on (domain) domain, account_id, dashboard_id, status_page_id, now()
from (
  select lower(custom_domain) as domain, account_id, id as dashboard_id, null::uuid as status_page_id, created_at
  from dashboards where custom_domain is not null
  union all
  select lower(custom_domain), account_id, null, id, created_at
  from status_pages where custom_domain is not null
) as pages
order by domain, created_at;
