/** Owner of each chat, kept during restarts of the server: the chat window stays open on the device. */
export const createChats = {
  name: '0009-create-chats',
  up: [
    `CREATE TABLE chats (
      deviceId TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      owner TEXT NOT NULL,
      begunAt INTEGER NOT NULL,
      PRIMARY KEY (deviceId, id)
    ) STRICT`,
  ],
}
