-- A deleted service stays as a row while incidents name it, so that their history keeps its name.
alter table status_page_services add column deleted_at timestamptz(3);
comment on column status_page_services.deleted_at is 'Deleted, and kept only because incidents name it; no other query shows it.';
