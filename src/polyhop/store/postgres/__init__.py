"""The record in Postgres (extra ``postgres``): the same documents and ledger, over the same statements."""
