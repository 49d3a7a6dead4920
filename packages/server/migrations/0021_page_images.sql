-- Logos and favicons of status pages and dashboards, fetched by the server.

create table page_images (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  url text not null,
  type text,
  bytes bytea,
  hash text,
  fetched_at timestamptz(3),
  failure text,
  failures integer not null default 0,
  due_at timestamptz(3) not null,
  wanted_at timestamptz(3) not null,
  check ((bytes is null) = (hash is null) and (bytes is null) = (type is null))
);
comment on table page_images is 'One row per account and address. The last good image stays while the address fails.';
comment on column page_images.hash is 'SHA-256 of the bytes in hexadecimal; part of the address that visitors load.';
comment on column page_images.failure is 'Why the last attempt gave no image; null: it did.';
comment on column page_images.failures is 'Failed attempts in a row.';
comment on column page_images.due_at is 'When it is fetched next, or when the claim of a server ends.';
comment on column page_images.wanted_at is 'When a page with this address was last saved.';
create unique index page_images_url on page_images (account_id, md5(url));
comment on index page_images_url is 'The images of a page. Addresses can be too long for an index.';
create index page_images_due on page_images (due_at);
comment on index page_images_due is 'The claim of images to fetch.';
