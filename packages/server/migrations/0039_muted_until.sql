-- Alerts can be silenced for a time.

alter table checks add column muted_until timestamptz(3);
comment on column checks.muted_until is 'Alerts are silenced until then, besides `muted`. A loop of the server clears it.';
create index checks_muted_until on checks (muted_until) where muted_until is not null;
comment on index checks_muted_until is 'The loop that ends mutes.';
