/** Place of the new devices of an installer key. Groups and tags are lists; ids of things that are gone are skipped. */
export const installerKeyPlacements = {
  name: '0023-installer-key-placements',
  up: [
    `CREATE TABLE installer_key_placements (
      keyId TEXT PRIMARY KEY REFERENCES installer_keys (id) ON DELETE CASCADE,
      customerId TEXT,
      deviceGroupIds TEXT NOT NULL,
      tagIds TEXT NOT NULL
    ) STRICT`,
  ],
}
