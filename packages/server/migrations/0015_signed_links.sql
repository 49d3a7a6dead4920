-- Links that open a page without a login are signed for one resource, an expiry and this epoch: raising it ends every link
-- that the account has sent so far.

alter table accounts add column link_epoch integer not null default 0;
comment on column accounts.link_epoch is 'Part of every signed link; raised by `vedette links revoke`.';
