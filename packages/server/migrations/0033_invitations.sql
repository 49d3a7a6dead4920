-- A one-time link of an invite: whoever opens it becomes a member.

alter table one_time_links
  alter column user_id drop not null,
  add column invite_id uuid references invites on delete cascade,
  add constraint one_time_links_owner check (num_nonnulls(user_id, invite_id) = 1);
comment on column one_time_links.kind is 'setup, reset or invite.';
create index one_time_links_invite on one_time_links (invite_id);
comment on index one_time_links_invite is 'The link that ends with its invite.';
