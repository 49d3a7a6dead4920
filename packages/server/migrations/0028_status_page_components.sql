-- The content of a status page is a tree of groups and services. Cards become its first level of groups and keep their ids.

alter table status_pages add column version smallint not null default 2;
comment on column status_pages.version is '2: made of cards; 3: made of components. Only says whether clients must send cards.';

create table status_page_components (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null,
  status_page_id uuid not null,
  parent_id uuid,
  service_id uuid,
  owns_service boolean not null default false,
  name text,
  description text,
  hidden boolean not null default false,
  display_order integer not null,
  configuration jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, status_page_id, id),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade,
  foreign key (account_id, status_page_id, parent_id)
    references status_page_components (account_id, status_page_id, id) on delete cascade,
  foreign key (account_id, service_id) references status_page_services (account_id, id) on delete cascade,
  check (service_id is not null or name is not null)
);
comment on table status_page_components is 'Groups (without service_id) and services of status pages.';
comment on column status_page_components.owns_service is 'The service was created with the component, has its name, and is deleted with it.';
comment on column status_page_components.name is 'Null: that of the service.';
create index status_page_components_page on status_page_components (status_page_id, parent_id, display_order);
comment on index status_page_components_page is 'The components of a page, and those of a group, in their order.';
create unique index status_page_components_service
  on status_page_components (service_id, status_page_id, parent_id) nulls not distinct where service_id is not null;
comment on index status_page_components_service is 'The pages that show a service; a group has it at most once.';

insert into status_page_components (id, account_id, status_page_id, name, display_order, created_at, updated_at)
select id, account_id, status_page_id, name, position, created_at, updated_at from status_page_cards;

insert into status_page_components (account_id, status_page_id, parent_id, service_id, display_order, created_at)
select card.account_id, card.status_page_id, card.id, link.service_id, link.position, card.created_at
from status_page_card_services link
join status_page_cards card on card.account_id = link.account_id and card.id = link.card_id;

drop table status_page_card_services;
drop table status_page_cards;

-- For servers of release 0.1.0 that still run during an upgrade. A later release drops these two views.
create view status_page_cards as
select id, account_id, status_page_id, name, display_order as position, created_at, updated_at
from status_page_components where parent_id is null and service_id is null;

create view status_page_card_services as
select account_id, parent_id as card_id, service_id, display_order as position
from status_page_components where parent_id is not null and service_id is not null;

-- Replaced, because a backup is restored into a database that may have it.
create or replace function insert_status_page_card_service() returns trigger language plpgsql as $$
begin
  insert into status_page_components (account_id, status_page_id, parent_id, service_id, display_order)
  select new.account_id, card.status_page_id, card.id, new.service_id, new.position
  from status_page_components card where card.account_id = new.account_id and card.id = new.card_id;
  return new;
end $$;

create trigger insert_service instead of insert on status_page_card_services
for each row execute function insert_status_page_card_service();

create view status_page_shown_services as
select c.account_id, c.status_page_id, c.service_id, coalesce(c.name, service.name) as name
from status_page_components c
join status_page_services service on service.account_id = c.account_id and service.id = c.service_id
left join status_page_components parent
  on parent.account_id = c.account_id and parent.status_page_id = c.status_page_id and parent.id = c.parent_id
left join status_page_components root
  on root.account_id = parent.account_id and root.status_page_id = parent.status_page_id and root.id = parent.parent_id
where not c.hidden and parent.hidden is not true and root.hidden is not true;
comment on view status_page_shown_services is 'What visitors see: services that are neither hidden nor in a hidden group. A service may occur in several groups.';
