-- Alerts of all checks of a group can be silenced for a time.

alter table check_groups add column muted_until timestamptz(3);
comment on column check_groups.muted_until is 'Alerts of its checks are silenced until then, besides `muted`. A loop of the server clears it.';
create index check_groups_muted_until on check_groups (muted_until) where muted_until is not null;
comment on index check_groups_muted_until is 'The loop that ends mutes.';
