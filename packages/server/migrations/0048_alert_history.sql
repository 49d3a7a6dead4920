-- The history of alerts: pages of an account, newest first, over any range.

create index check_alerts_history on check_alerts (account_id, created_at desc, id);
comment on index check_alerts_history is 'GET /v1/alert-history: a page of an account without reading the others.';
