-- Status pages, the services on them, incidents and subscribers.

create table status_page_services (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);
create index status_page_services_list on status_page_services (account_id, created_at desc, id);
comment on index status_page_services_list is 'GET /v1/status-pages/services by cursor.';

create table status_pages (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  url text not null,
  custom_domain text,
  is_private boolean not null,
  settings jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);
create unique index status_pages_url on status_pages (lower(url));
create unique index status_pages_custom_domain on status_pages (lower(custom_domain));
comment on index status_pages_url is 'A slug belongs to one page of all accounts.';
comment on index status_pages_custom_domain is 'A domain belongs to one page of all accounts.';
create index status_pages_list on status_pages (account_id, created_at desc, id);
comment on index status_pages_list is 'GET /v1/status-pages by cursor.';

create table status_page_keys (
  id uuid primary key,
  account_id uuid not null,
  status_page_id uuid not null,
  hash bytea not null unique,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
create index status_page_keys_page on status_page_keys (status_page_id);
comment on index status_page_keys_page is 'The keys shown with a private page.';

create table status_page_cards (
  id uuid primary key,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  position integer not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
create index status_page_cards_page on status_page_cards (status_page_id, position);
comment on index status_page_cards_page is 'The cards of a page in their order.';

create table status_page_card_services (
  account_id uuid not null,
  card_id uuid not null,
  service_id uuid not null,
  position integer not null,
  primary key (card_id, service_id),
  foreign key (account_id, card_id) references status_page_cards (account_id, id) on delete cascade,
  foreign key (account_id, service_id) references status_page_services (account_id, id) on delete cascade
);
create index status_page_card_services_service on status_page_card_services (service_id);
comment on index status_page_card_services_service is 'The pages that show a service.';

create table incidents (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  severity text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);
create index incidents_list on incidents (account_id, created_at desc, id);
comment on index incidents_list is 'GET /v1/status-pages/incidents by cursor, latest first.';

create table incident_services (
  account_id uuid not null,
  incident_id uuid not null,
  service_id uuid not null,
  primary key (incident_id, service_id),
  foreign key (account_id, incident_id) references incidents (account_id, id) on delete cascade,
  foreign key (account_id, service_id) references status_page_services (account_id, id) on delete cascade
);
create index incident_services_service on incident_services (service_id);
comment on index incident_services_service is 'The incidents of a service.';

create table incident_updates (
  id uuid primary key,
  account_id uuid not null,
  incident_id uuid not null,
  status text not null,
  description text not null,
  public_incident_update_date timestamptz(3) not null,
  notify_subscribers boolean not null,
  created_at timestamptz(3) not null default now(),
  foreign key (account_id, incident_id) references incidents (account_id, id) on delete cascade
);
create index incident_updates_incident on incident_updates (incident_id, public_incident_update_date desc);
comment on index incident_updates_incident is 'The updates of an incident, latest first.';

create table status_page_subscriptions (
  id uuid primary key,
  account_id uuid not null,
  status_page_id uuid not null,
  type text not null,
  address text not null,
  status text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
create unique index status_page_subscriptions_address on status_page_subscriptions (status_page_id, lower(address));
comment on index status_page_subscriptions_address is 'One subscription per address and page.';
