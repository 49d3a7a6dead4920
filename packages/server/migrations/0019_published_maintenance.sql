-- Maintenance windows can be shown on status pages.
alter table maintenance_windows add column status_page_visibility jsonb;
comment on column maintenance_windows.status_page_visibility is 'The pages and services, and how they show the window; null: no page does. Its ids are kept in step when pages and services are deleted.';
