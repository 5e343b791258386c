/** Policies that ask the person at a device before a visit. */
export const consentPolicies = {
  name: '0056-consent-policies',
  up: [
    `CREATE TABLE consent_policies (
      id TEXT NOT NULL PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      customerId TEXT REFERENCES customers (id) ON DELETE CASCADE,
      tagId TEXT REFERENCES tags (id) ON DELETE CASCADE,
      exceptPermission TEXT,
      control TEXT NOT NULL,
      viewing TEXT NOT NULL,
      terminal TEXT NOT NULL,
      files TEXT NOT NULL,
      allowsSilence INTEGER NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX consent_policies_of_tenant ON consent_policies (tenantId)',
  ],
}
