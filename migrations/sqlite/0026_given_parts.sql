-- The provider of sign-ins that made somebody a member, by its issuer; NULL = an admin did. What it gave it takes back.
ALTER TABLE team_members ADD COLUMN issuer TEXT;
