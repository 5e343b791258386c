/**
 * Notes and stars of devices, saved views of the device list, colors of tags, contacts and parents of customers. A view
 * without a user is shared with the tenant, and outlives its author.
 */
export const organizeDevices = {
  name: '0021-organize-devices',
  up: [
    `CREATE TABLE device_notes (
      id TEXT PRIMARY KEY,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      text TEXT NOT NULL,
      searchText TEXT NOT NULL,
      author TEXT NOT NULL,
      authorName TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      updatedAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX device_notes_device ON device_notes (deviceId, createdAt)',
    'CREATE INDEX device_notes_tenant ON device_notes (tenantId)',
    `CREATE TABLE device_stars (
      userId TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      PRIMARY KEY (userId, deviceId)
    ) STRICT`,
    'CREATE INDEX device_stars_device ON device_stars (deviceId)',
    `CREATE TABLE device_views (
      id TEXT PRIMARY KEY,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      userId TEXT REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      query TEXT NOT NULL,
      sort TEXT NOT NULL,
      authorName TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX device_views_user ON device_views (userId)',
    'CREATE INDEX device_views_tenant ON device_views (tenantId, userId)',
    `CREATE TABLE tag_colors (
      tagId TEXT PRIMARY KEY REFERENCES tags (id) ON DELETE CASCADE,
      color TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE customer_contacts (
      id TEXT PRIMARY KEY,
      customerId TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      email TEXT NOT NULL,
      phone TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX customer_contacts_customer ON customer_contacts (customerId, place)',
    `CREATE TABLE customer_parents (
      customerId TEXT PRIMARY KEY REFERENCES customers (id) ON DELETE CASCADE,
      parentId TEXT NOT NULL REFERENCES customers (id) ON DELETE CASCADE
    ) STRICT`,
    'CREATE INDEX customer_parents_parent ON customer_parents (parentId)',
  ],
}
