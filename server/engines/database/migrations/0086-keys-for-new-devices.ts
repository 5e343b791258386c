/** Installer keys that register no known device; on PostgreSQL 0084 has made a number of the truth value `isUnproven`. */
export const keysForNewDevices = {
  name: '0086-keys-for-new-devices',
  up: ['ALTER TABLE installer_keys ADD COLUMN isForNewDevices INTEGER NOT NULL DEFAULT 0'],
  postgres: [
    'ALTER TABLE installer_keys ADD COLUMN "isForNewDevices" BOOLEAN NOT NULL DEFAULT false',
    'ALTER TABLE users ALTER COLUMN "isUnproven" DROP DEFAULT',
    'ALTER TABLE users ALTER COLUMN "isUnproven" TYPE BOOLEAN USING "isUnproven" <> 0',
    'ALTER TABLE users ALTER COLUMN "isUnproven" SET DEFAULT false',
  ],
}
