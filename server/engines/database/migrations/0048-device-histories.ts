/** Load, disks and online time of the last 90 days: a row per device, encoded by `history/device-history.ts`. */
export const deviceHistories = {
  name: '0048-device-histories',
  up: [
    `CREATE TABLE device_histories (
      deviceId TEXT NOT NULL PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      disks TEXT NOT NULL,
      samples TEXT NOT NULL
    ) STRICT`,
  ],
}
