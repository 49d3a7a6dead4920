-- Visitors may see a status page as it was, but nothing from a time when it was private.

alter table status_pages add column public_since timestamptz(3);
comment on column status_pages.public_since is 'Since when it is public; null: it is private, or was created by release 0.1.0 during an upgrade.';

-- Whether an existing page was private before its last change isn't known.
update status_pages set public_since = coalesce(updated_at, created_at) where not is_private;
