-- Drafts of command-line clients bring their group along.

alter table drafts add column sealed_group jsonb;
comment on column drafts.sealed_group is 'A group that is not stored either, as one sealed text.';
