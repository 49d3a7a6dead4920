-- Webhooks of status pages, and what is sent to them.
create table page_webhooks (
  id uuid primary key,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  url text not null,
  secret jsonb not null,
  events text[] not null,
  activated boolean not null,
  deactivated_reason text,
  failing_since timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
comment on column page_webhooks.secret is 'The key of the signatures, sealed.';
comment on column page_webhooks.failing_since is 'The first failed attempt since the last success.';
create index page_webhooks_page on page_webhooks (status_page_id);
comment on index page_webhooks_page is 'The webhooks of a page.';

create table page_webhook_deliveries (
  id uuid primary key,
  account_id uuid not null,
  webhook_id uuid not null,
  position bigint generated always as identity,
  event text not null,
  incident_id uuid not null,
  update_id uuid not null,
  facts jsonb not null,
  status text not null,
  result text,
  attempts smallint not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null,
  foreign key (account_id, webhook_id) references page_webhooks (account_id, id) on delete cascade
);
comment on table page_webhook_deliveries is 'What is sent to webhooks of status pages: to be delivered, and then the log of it.';
comment on column page_webhook_deliveries.position is 'Events of an incident are sent in this order.';
comment on column page_webhook_deliveries.facts is 'What is sent, as of the time of the update: the incident or its page may be deleted.';
comment on column page_webhook_deliveries.due_at is 'The next attempt, or the end of a claim; null: it is finished.';
create unique index page_webhook_deliveries_update on page_webhook_deliveries (webhook_id, update_id);
comment on index page_webhook_deliveries_update is 'An update is sent to a webhook once.';
create index page_webhook_deliveries_log on page_webhook_deliveries (webhook_id, position desc);
comment on index page_webhook_deliveries_log is 'The log of a webhook, latest first.';
create index page_webhook_deliveries_due on page_webhook_deliveries (due_at) where due_at is not null;
comment on index page_webhook_deliveries_due is 'The claim: what is due.';
create index page_webhook_deliveries_created on page_webhook_deliveries (created_at);
comment on index page_webhook_deliveries_created is 'Retention: the oldest go.';
