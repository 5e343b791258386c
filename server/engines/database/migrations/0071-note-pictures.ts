/** Pictures of notes about devices. */
export const notePictures = {
  name: '0071-note-pictures',
  up: [
    `CREATE TABLE device_note_pictures (
      noteId TEXT NOT NULL PRIMARY KEY REFERENCES device_notes (id) ON DELETE CASCADE,
      tenantId TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      byteCount INTEGER NOT NULL,
      content TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX device_note_pictures_tenant ON device_note_pictures (tenantId)',
  ],
}
