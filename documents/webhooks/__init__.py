"""Events are told to addresses of a tenant: announced in the transaction, signed, sent, tried again."""
