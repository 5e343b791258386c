/** Installer keys that register no known device. */
export const keysForNewDevices = {
  name: '0086-keys-for-new-devices',
  up: ['ALTER TABLE installer_keys ADD COLUMN isForNewDevices INTEGER NOT NULL DEFAULT 0'],
}
