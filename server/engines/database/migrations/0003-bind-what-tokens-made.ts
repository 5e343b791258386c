const boundTables = [
  'permission_assignments',
  'user_group_members',
  'personal_access_tokens',
  'service_account_credentials',
  'logon_tokens',
  'installer_keys',
]

/**
 * Rows made by a restricted token name it in `madeWith` and are deleted with it; null for rows made by users. Notices
 * report actions on a user's behalf.
 */
export const bindWhatTokensMade = {
  name: '0003-bind-what-tokens-made',
  up: [
    ...boundTables.flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN madeWith TEXT REFERENCES personal_access_tokens (id) ON DELETE CASCADE`,
      `CREATE INDEX ${table}_by_maker ON ${table} (madeWith) WHERE madeWith IS NOT NULL`,
    ]),
    // Each change of rights looks up the holders of one permission at a scope.
    `DROP INDEX permission_assignments_by_scope`,
    `CREATE INDEX permission_assignments_by_scope ON permission_assignments (scopeId, permissionName)`,
    `CREATE TABLE user_notices (
      id TEXT PRIMARY KEY NOT NULL,
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      byName TEXT NOT NULL,
      subject TEXT,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX user_notices_by_user ON user_notices (userId, createdAt)`,
  ],
}
