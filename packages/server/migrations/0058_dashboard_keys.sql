-- People and clients that may change a dashboard read its keys back.

alter table dashboard_keys add column sealed_key jsonb;
comment on column dashboard_keys.sealed_key is 'The whole key, sealed. Null for keys of earlier releases, which stored only the hash.';
