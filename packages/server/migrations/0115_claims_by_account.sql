-- Claims share an agent between accounts when its queue has a backlog.

create index schedule_due_of_account on schedule (queue, account_id, due_at);
comment on index schedule_due_of_account is 'The claim, when runs are late: what is due for each account.';
