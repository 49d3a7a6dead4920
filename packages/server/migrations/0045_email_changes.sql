-- A link that confirms a new email.

alter table one_time_links
  add column email text,
  add constraint one_time_links_email check ((kind = 'email') = (email is not null));
comment on column one_time_links.kind is 'setup, reset, invite or email.';
comment on column one_time_links.email is 'The new address that a link of kind email confirms.';
