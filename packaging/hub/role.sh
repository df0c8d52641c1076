#!/bin/sh
# Run once by the image of PostgreSQL, on the new database: a user of its own for the hub, because row-level security does not
# hold for superusers.
psql -v ON_ERROR_STOP=1 -v password="$HUB_PASSWORD" -U postgres -d hub <<'SQL'
CREATE ROLE hub LOGIN PASSWORD :'password';
ALTER DATABASE hub OWNER TO hub;
ALTER SCHEMA public OWNER TO hub;
SQL
