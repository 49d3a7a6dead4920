-- A check may meet several certificates: each is told once. What was told before alerts were off says nothing afterwards.

alter table ssl_notices drop constraint ssl_notices_pkey;
alter table ssl_notices add primary key (check_id, alert_channel_id, expires_at);
comment on column ssl_notices.expires_at is 'About when, as it was told, give or take two days: that is how one certificate is known from another.';
