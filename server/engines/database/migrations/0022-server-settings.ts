/** Settings of the server that an administrator stored, by key. Values of secrets are sealed. */
export const serverSettings = {
  name: '0022-server-settings',
  up: [`CREATE TABLE server_settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`],
}
